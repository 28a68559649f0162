// Puts the contracts on a fresh chain. The owner's first transactions, in a fixed order: so addresses
// are known before anything is sent, and are the same each time.

import { ethers } from 'ethers';
import {
  CONTEXT_ID, CRS_ID, EPOCH_ID, GATEWAY_CHAIN, HOST_CHAINS, KEY_ID, ownerOf,
} from './cast.mjs';
import { hex } from './rpc.mjs';

const RICH = hex(10n ** 24n); // a million ether
const FEES = 10n ** 30n;
const GAS = 30_000_000n;

// Signs what the owner does with nonces from 0 on, and knows what each creation will be called.
class Ledger {
  #nonce = 0;
  #pending = [];

  constructor(artifacts, chainId) {
    this.artifacts = artifacts;
    this.chainId = chainId;
    this.owner = ownerOf(chainId);
  }

  #add(transaction, signer, nonce) {
    this.#pending.push(signer.signTransaction({ ...this.#usual(nonce), ...transaction }));
  }

  #usual(nonce) {
    return {
      type: 2,
      chainId: this.chainId,
      nonce,
      gasLimit: GAS,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n,
      value: 0n,
    };
  }

  create(name, ...values) {
    const { abi, bytecode } = this.artifacts[name];
    const data = bytecode + new ethers.Interface(abi).encodeDeploy(values).slice(2);
    const address = ethers.getCreateAddress({ from: this.owner.address, nonce: this.#nonce });
    this.#add({ data }, this.owner, this.#nonce++);
    return address;
  }

  call(name, to, method, values) {
    const data = new ethers.Interface(this.artifacts[name].abi).encodeFunctionData(method, values);
    this.#add({ to, data }, this.owner, this.#nonce++);
  }

  // Of an account that has sent nothing yet.
  callAs(signer, name, to, method, values) {
    const data = new ethers.Interface(this.artifacts[name].abi).encodeFunctionData(method, values);
    this.#add({ to, data }, signer, 0);
  }

  // `field` is the contract's name in devnet.json, which differs from the other only in its capitals.
  async use(rpc, to, field, method, values) {
    const name = Object.keys(this.artifacts).find(
      (one) => one.toLowerCase() === field.toLowerCase());
    const face = new ethers.Interface(this.artifacts[name].abi);
    const fragment = face.getFunction(method);
    if (!fragment) throw new Error(`${field} has no method '${method}'`);
    const data = face.encodeFunctionData(fragment, values);
    const call = { from: this.owner.address, to, input: data };
    const result = await rpc.call('eth_call', [call, 'latest']);
    if (fragment.constant) return plain(face.decodeFunctionResult(fragment, result));
    const nonce = Number(
      await rpc.call('eth_getTransactionCount', [this.owner.address, 'pending']));
    const raw = await this.owner.signTransaction({ ...this.#usual(nonce), to, data });
    return rpc.call('eth_sendRawTransactionSync', [raw]);
  }

  async send(rpc) {
    const raw = await Promise.all(this.#pending);
    const sent = await rpc.batch(raw.map((bytes) => ['eth_sendRawTransaction', [bytes]]));
    for (const { error } of sent) if (error) throw new Error(`deploying: ${error.message}`);
    await rpc.call('anvil_mine', ['0x1']);
    const receipts = await rpc.batch(
      sent.map(({ result }) => ['eth_getTransactionReceipt', [result]]));
    for (const { result } of receipts)
      if (result?.status !== '0x1') throw new Error('deploying: a transaction did not go through');
  }
}

const plain = (value) => JSON.parse(JSON.stringify(value,
  (_, inner) => (typeof inner === 'bigint' ? hex(inner) : inner)));

const addressesOf = (nodes) => nodes.map(({ sender }) => sender.address);

function gatewayContracts(ledger, cast, settings) {
  const feeToken = ledger.create('FeeToken');
  const protocolPayment = ledger.create('ProtocolPayment', feeToken);
  const gatewayConfig = ledger.create('GatewayConfig',
    HOST_CHAINS, addressesOf(cast.coprocessors), settings.coprocessorThreshold,
    addressesOf(cast.kmsNodes), CONTEXT_ID, settings.publicThreshold, settings.userThreshold);
  const ciphertextCommits = ledger.create('CiphertextCommits', gatewayConfig, KEY_ID);
  const inputVerification = ledger.create('InputVerification', gatewayConfig, protocolPayment);
  const decryption =
    ledger.create('Decryption', gatewayConfig, ciphertextCommits, protocolPayment);
  return {
    feeToken, protocolPayment, gatewayConfig, ciphertextCommits, inputVerification, decryption,
  };
}

const signersOf = (nodes) => nodes.map(({ signer }) => signer.address);

function hostContracts(ledger, cast, settings, gateway) {
  const nodes = cast.kmsNodes.map(({ sender, signer, index }) => [
    sender.address, signer.address, '127.0.0.1', `http://127.0.0.1:${settings.storagePort}`,
    index + 1, `kms-${index + 1}`, '0x', `PUB-p${index + 1}`,
  ]);
  const thresholds = [
    settings.publicThreshold, settings.userThreshold, settings.userThreshold,
    Math.floor((nodes.length - 1) / 3),
  ];
  return {
    acl: ledger.create('ACL'),
    protocolConfig:
      ledger.create('ProtocolConfig', CONTEXT_ID, EPOCH_ID, nodes, thresholds),
    kmsGeneration: ledger.create('KMSGeneration', KEY_ID, CRS_ID, nodes.map((node) => node[3])),
    smartAccount: ledger.create('SmartAccount', cast.users[0].address),
    inputVerifier: ledger.create('InputVerifier', GATEWAY_CHAIN, gateway.inputVerification,
      signersOf(cast.coprocessors), settings.coprocessorThreshold),
    kmsVerifier: ledger.create('KMSVerifier', GATEWAY_CHAIN, gateway.decryption, CONTEXT_ID,
      signersOf(cast.kmsNodes), settings.publicThreshold),
  };
}

async function enrich(rpc, wallets) {
  const calls = wallets.map(({ address }) => ['anvil_setBalance', [address, RICH]]);
  for (const { error } of await rpc.batch(calls)) if (error) throw new Error(error.message);
}

export function gatewayLedger(artifacts, cast, settings) {
  const ledger = new Ledger(artifacts, GATEWAY_CHAIN);
  const contracts = gatewayContracts(ledger, cast, settings);
  for (const relayer of cast.relayers) {
    ledger.call('FeeToken', contracts.feeToken, 'mint', [relayer.address, FEES]);
    if (settings.relayersApprove)
      ledger.callAs(relayer, 'FeeToken', contracts.feeToken, 'approve',
        [contracts.protocolPayment, ethers.MaxUint256]);
  }
  if (!settings.checkSignatures)
    ledger.call('Decryption', contracts.decryption, 'setChecksSignatures', [false]);
  return { ledger, contracts };
}

export function hostLedger(artifacts, chainId, cast, settings, gateway) {
  const ledger = new Ledger(artifacts, chainId);
  return { ledger, contracts: hostContracts(ledger, cast, settings, gateway) };
}

const isThere = async (rpc, address) =>
  (await rpc.call('eth_getCode', [address, 'latest'])) !== '0x';

// Some are there and not all: they were put there before the others were thought of.
export async function isOutdated(rpc, { contracts }) {
  const addresses = Object.values(contracts);
  return (await isThere(rpc, addresses[0])) && !(await isThere(rpc, addresses.at(-1)));
}

// Nothing is sent to a chain that has the contracts already.
export async function deploy(rpc, { ledger, contracts }, cast) {
  if (await isThere(rpc, Object.values(contracts).at(-1))) return false;
  const nodes = [...cast.coprocessors, ...cast.kmsNodes].map(({ sender }) => sender);
  await enrich(rpc, [ledger.owner, ...cast.users, ...cast.relayers, ...nodes]);
  await ledger.send(rpc);
  return true;
}
