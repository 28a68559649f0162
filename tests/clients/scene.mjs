// What all clients find on the devnet: a user, a delegator, a contract, and handles that stand for
// values which are told to the KMS nodes.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { ethers } from 'ethers';

// Types as they stand in a handle, and as clients name them.
const TYPES = { ebool: 0, euint8: 2, euint32: 4, euint64: 5, eaddress: 7, euint256: 8 };

const digits = (number, bytes) => number.toString(16).padStart(2 * bytes, '0');

export class Scene {
  contract = '0x1111111111111111111111111111111111111111';
  // What the client encrypts, and of how many bits each is.
  inputs = [
    { type: 'uint64', value: 42n, bits: 64 },
    { type: 'bool', value: true, bits: 2 },
    { type: 'address', value: '0x2222222222222222222222222222222222222222', bits: 160 },
  ];

  constructor(devnet, relayerUrl) {
    const { gateway, hosts: [host], users } = devnet;
    Object.assign(this, { devnet, gateway, host, relayerUrl });
    [this.user, this.delegator] = users.map(({ privateKey }) => new ethers.Wallet(privateKey));
    // An hour ago: the clock of a chain on which nothing happens runs behind.
    this.start = Math.floor(Date.now() / 1000) - 3600;
    this.days = 10;
  }

  async #control(path, body) {
    const answer = await fetch(`${this.devnet.control}/${path}`, {
      method: 'POST', body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`the devnet refuses ${path}: ${await answer.text()}`);
  }

  turn(switches) {
    return this.#control('responder', switches);
  }

  // A method of a contract: 'gateway/decryption/setPaused'.
  write(method, values) {
    return this.#control(`contracts/${method}`, values);
  }

  #newHandle(type) {
    return '0x' + randomBytes(21).toString('hex') + 'ff' + digits(this.host.chainId, 8) +
      digits(TYPES[type], 1) + '00';
  }

  // New handles, and what each of them stands for.
  async secrets() {
    const secrets = [
      ['euint64', 2n ** 64n - 3n], ['ebool', true], ['eaddress', this.user.address],
      ['euint8', 7n], ['euint256', 2n ** 255n + 12345n],
    ].map(([type, value]) => ({ handle: this.#newHandle(type), value }));
    await this.turn({
      values: Object.fromEntries(
        secrets.map(({ handle, value }) => [handle, BigInt(value).toString()])),
    });
    return {
      handles: secrets.map(({ handle }) => handle),
      values: secrets.map(({ value }) => value),
    };
  }

  // What relayer-sdk 0.4.3 once made of the inputs, with a key that nobody has any more. Each time for
  // another user, so that it is another request: the proof says for whom it is only to who verifies it.
  madeProof() {
    return {
      bytes: new Uint8Array(fs.readFileSync(new URL('proof.bin', import.meta.url))),
      bits: this.inputs.map(({ bits }) => bits),
      userAddress: ethers.Wallet.createRandom().address,
    };
  }

  // As the relayer names it, fetched without a client: length and hash of the key and of the CRS.
  async keyMaterial() {
    const { response } = await (await fetch(`${this.relayerUrl}/v2/keyurl`)).json();
    const load = async ([url]) => new Uint8Array(await (await fetch(url)).arrayBuffer());
    return {
      publicKey: fingerprint(await load(response.fheKeyInfo[0].fhePublicKey.urls)),
      crs: fingerprint(await load(response.crs['2048'].urls)),
    };
  }
}

export const fingerprint = (bytes) => `${bytes.length} bytes, ${ethers.keccak256(bytes)}`;
