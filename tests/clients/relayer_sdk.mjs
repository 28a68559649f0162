// @zama-fhe/relayer-sdk 0.4.

import { createRequire } from 'node:module';
import { fingerprint } from './scene.mjs';
import { ethers } from 'ethers';

const SIZE_OF_A_KEY = 10000;

// Without keys on this machine the devnet serves a line of text in their place. Then the client keeps
// those bytes as they are, and can do all but encrypt.
function takeAnyKey() {
  const tfhe = createRequire(import.meta.url)('node-tfhe');
  for (const name of ['TfheCompactPublicKey', 'CompactPkeCrs']) {
    const parse = tfhe[name].safe_deserialize.bind(tfhe[name]);
    tfhe[name].safe_deserialize = (bytes, limit) =>
      (bytes.length < SIZE_OF_A_KEY ? { safe_serialize: () => bytes } : parse(bytes, limit));
  }
}

export async function openRelayerSdk(version, scene) {
  takeAnyKey();
  const { createInstance } = await import(`relayer-sdk-${version}/node`);
  const { host, gateway, user, delegator, contract, start, days } = scene;
  const instance = await createInstance({
    aclContractAddress: host.contracts.acl,
    kmsContractAddress: host.contracts.kmsVerifier,
    inputVerifierContractAddress: host.contracts.inputVerifier,
    verifyingContractAddressDecryption: gateway.contracts.decryption,
    verifyingContractAddressInputVerification: gateway.contracts.inputVerification,
    chainId: host.chainId,
    gatewayChainId: gateway.chainId,
    network: host.http,
    relayerUrl: `${scene.relayerUrl}/v2`,
  });
  const keys = instance.generateKeypair();
  const pairs = (handles) => handles.map((handle) => ({ handle, contractAddress: contract }));
  const signed = ({ domain, types: { EIP712Domain: _, ...types }, message }) =>
    user.signTypedData(domain, types, message);
  const ordered = (handles, values) => handles.map((handle) => values[handle]);
  const prefixed = (bytes) => ethers.hexlify(bytes);

  return {
    async keyMaterial() {
      return {
        publicKey: fingerprint(instance.getPublicKey().publicKey),
        crs: fingerprint(instance.getPublicParams(2048).publicParams),
      };
    },
    async encrypt(inputs) {
      const input = instance.createEncryptedInput(contract, user.address);
      const add = { uint64: 'add64', bool: 'addBool', address: 'addAddress' };
      for (const { type, value } of inputs) input[add[type]](value);
      const { handles, inputProof } = await input.encrypt();
      return { handles: handles.map(prefixed), proof: prefixed(inputProof) };
    },
    async submit({ bytes, bits, userAddress }) {
      const { handles, inputProof } = await instance.requestZKProofVerification({
        chainId: BigInt(host.chainId), aclContractAddress: host.contracts.acl,
        contractAddress: contract, userAddress, ciphertextWithZKProof: bytes, encryptionBits: bits,
      });
      return { handles: handles.map(prefixed), proof: prefixed(inputProof) };
    },
    async publicDecrypt(handles) {
      return ordered(handles, (await instance.publicDecrypt(handles)).clearValues);
    },
    async userDecrypt(handles) {
      const permit = instance.createEIP712(keys.publicKey, [contract], start, days);
      return ordered(handles, await instance.userDecrypt(pairs(handles), keys.privateKey,
        keys.publicKey, await signed(permit), [contract], user.address, start, days));
    },
    async delegatedUserDecrypt(handles) {
      const permit = instance.createDelegatedUserDecryptEIP712(
        keys.publicKey, [contract], delegator.address, start, days);
      return ordered(handles, await instance.delegatedUserDecrypt(pairs(handles), keys.privateKey,
        keys.publicKey, await signed(permit), [contract], delegator.address, user.address, start, days));
    },
  };
}
