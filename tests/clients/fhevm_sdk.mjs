// @fhevm/sdk 1.0.0-alpha.5.

import { fetchVerifiedInputProof } from '@fhevm/sdk/actions/base';
import { createFhevmClient, setFhevmRuntimeConfig } from '@fhevm/sdk/ethers';
import { ethers } from 'ethers';
import { fingerprint } from './scene.mjs';

export async function openFhevmSdk(version, scene) {
  const { host, gateway, user, delegator, contract, start, days } = scene;
  // Many threads would ask for workers and what a browser has.
  setFhevmRuntimeConfig({ singleThread: true });
  const client = createFhevmClient({
    chain: {
      id: host.chainId,
      fhevm: {
        contracts: {
          acl: { address: host.contracts.acl },
          inputVerifier: { address: host.contracts.inputVerifier },
          kmsVerifier: { address: host.contracts.kmsVerifier },
        },
        relayerUrl: scene.relayerUrl,
        gateway: {
          id: gateway.chainId,
          contracts: {
            decryption: { address: gateway.contracts.decryption },
            inputVerification: { address: gateway.contracts.inputVerification },
          },
        },
      },
    },
    provider: new ethers.JsonRpcProvider(host.http),
  });
  const transportKeyPair = await client.generateTransportKeyPair();

  async function decrypt(encryptedValues, delegatorAddress) {
    const signedPermit = await client.signDecryptionPermit({
      contractAddresses: [contract], startTimestamp: start, durationDays: days,
      signerAddress: user.address, signer: user, transportKeyPair,
      ...(delegatorAddress && { delegatorAddress }),
    });
    const values = await client.decryptValues(
      { encryptedValues, contractAddress: contract, transportKeyPair, signedPermit });
    return values.map(valueOf);
  }

  return {
    async keyMaterial() {
      const { publicKeyBytes, crsBytes } = await client.fetchFheEncryptionKeyBytes();
      return { publicKey: fingerprint(publicKeyBytes.bytes), crs: fingerprint(crsBytes.bytes) };
    },
    async encrypt(inputs) {
      const { encryptedValues, inputProof } = await client.encryptValues({
        contractAddress: contract, userAddress: user.address,
        values: inputs.map(({ type, value }) => ({ type, value })),
      });
      return { handles: encryptedValues, proof: inputProof };
    },
    async submit({ bytes, bits, userAddress }) {
      const { inputHandles, bytesHex } = await fetchVerifiedInputProof(client, {
        zkProof: {
          chainId: host.chainId, aclContractAddress: host.contracts.acl, contractAddress: contract,
          userAddress, ciphertextWithZkProof: bytes, encryptionBits: bits,
        },
        extraData: '0x00',
      });
      return { handles: inputHandles, proof: bytesHex };
    },
    async publicDecrypt(encryptedValues) {
      const { clearValues } = await client.readPublicValuesWithSignatures({ encryptedValues });
      return clearValues.map(valueOf);
    },
    userDecrypt: (handles) => decrypt(handles),
    delegatedUserDecrypt: (handles) => decrypt(handles, delegator.address),
  };
}

// Small numbers come as such, large ones as bigint.
const valueOf = ({ value }) => (typeof value === 'number' ? BigInt(value) : value);
