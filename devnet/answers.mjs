// What coprocessors and KMS nodes say to a request: always the same to the same one, signed as the real
// ones sign it.

import { createHash } from 'node:crypto';
import { ethers } from 'ethers';
import { GATEWAY_CHAIN } from './cast.mjs';

const coder = ethers.AbiCoder.defaultAbiCoder();

const CIPHERTEXT = {
  CiphertextVerification: [
    { name: 'ctHandles', type: 'bytes32[]' },
    { name: 'userAddress', type: 'address' },
    { name: 'contractAddress', type: 'address' },
    { name: 'contractChainId', type: 'uint256' },
    { name: 'extraData', type: 'bytes' },
  ],
};
const PUBLIC = {
  PublicDecryptVerification: [
    { name: 'ctHandles', type: 'bytes32[]' },
    { name: 'decryptedResult', type: 'bytes' },
    { name: 'extraData', type: 'bytes' },
  ],
};
const USER_TYPE = ethers.id('UserDecryptResponseVerification(bytes publicKey,bytes32[] ctHandles,' +
  'bytes userDecryptedShare,bytes extraData)');

const UINT64_TYPE = 5;

// 21 bytes of hash, the index, eight of chain id, the type, the version.
export function makeHandle(seed, index, chainId, type = UINT64_TYPE) {
  const hash = ethers.keccak256(coder.encode(['bytes', 'uint256'], [seed, index]));
  return hash.slice(0, 2 + 42) + index.toString(16).padStart(2, '0') +
    BigInt(chainId).toString(16).padStart(16, '0') + type.toString(16).padStart(2, '0') + '00';
}

// Any value will do, as long as it fits the type and is the same each time.
function clearValue(handle) {
  const bits = { 0: 1, 2: 8, 3: 16, 4: 32, 5: 64, 6: 128, 7: 160, 8: 256 };
  const type = Number.parseInt(handle.slice(62, 64), 16);
  return BigInt.asUintN(bits[type] ?? 64, BigInt(ethers.keccak256(handle)));
}

// Any bytes will do here, too; those of a hash that is not written in JavaScript come ten times as fast.
function shareOf(request, node, size) {
  return '0x' + createHash('shake256', { outputLength: size })
    .update(`share of node ${node.index} for ${request.id}`).digest('hex');
}

const word = (number) => number.toString(16).padStart(64, '0');

// The call of a method that takes (uint256, bytes, bytes, bytes), much faster than for any method.
function callWithBytes(selector, id, parts) {
  let head = selector + word(id);
  let tail = '';
  for (const part of parts) {
    head += word(32 * (parts.length + 1) + tail.length / 2);
    const digits = part.length - 2;
    tail += word(digits / 2) + part.slice(2).padEnd(Math.ceil(digits / 64) * 64, '0');
  }
  return head + tail;
}

const signatureOf = (node, digest) => node.signer.signingKey.sign(digest).serialized;

export class Answers {
  constructor(artifacts, contracts, switches) {
    this.switches = switches;
    this.contracts = contracts;
    this.proofs = new ethers.Interface(artifacts.InputVerification.abi);
    const decryptions = new ethers.Interface(artifacts.Decryption.abi);
    this.publicSelector = decryptions.getFunction('publicDecryptionResponse').selector;
    this.userSelector = decryptions.getFunction('userDecryptionResponse').selector;
    const domain = { version: '1', chainId: GATEWAY_CHAIN };
    this.proofDomain =
      { ...domain, name: 'InputVerification', verifyingContract: contracts.inputVerification };
    this.decryptionDomain =
      { ...domain, name: 'Decryption', verifyingContract: contracts.decryption };
    this.decryptionSeparator = ethers.TypedDataEncoder.hashDomain(this.decryptionDomain);
  }

  // The transaction of one node, without nonce and gas.
  to(request, node) {
    const { extraData: wanted } = this.switches;
    const extraData = wanted === 'echo' ? request.extraData : wanted;
    switch (request.kind) {
      case 'input_proof': return this.#proof(request, node, extraData);
      case 'public_decrypt': return this.#publicDecrypt(request, node, extraData);
      default: return this.#share(request, node, extraData);
    }
  }

  rejects(request) {
    const { rejectAll, rejectEvery, rejectPrefix } = this.switches;
    return rejectAll || (rejectEvery > 0 && BigInt(request.id) % BigInt(rejectEvery) === 0n) ||
      (rejectPrefix !== '0x' && request.ciphertext.startsWith(rejectPrefix.toLowerCase()));
  }

  // What all nodes say alike to a request is made once for all of them; `make` does it.
  #alike(request, extraData, make) {
    const key = `${extraData} ${this.switches.handlesPerProof}`;
    if (request.alikeFor !== key) [request.alikeFor, request.alike] = [key, make()];
    return request.alike;
  }

  #proof(request, node, extraData) {
    const to = this.contracts.inputVerification;
    if (this.rejects(request)) {
      const data = this.proofs.encodeFunctionData('rejectProofResponse', [request.id, extraData]);
      return { to, data };
    }
    const { handles, digest } = this.#alike(request, extraData, () => {
      const { ciphertext, userAddress, contractAddress, contractChainId } = request;
      const seed = ethers.keccak256(ethers.concat([ciphertext, userAddress, contractAddress]));
      const ctHandles = Array.from({ length: this.switches.handlesPerProof },
        (_, index) => makeHandle(seed, index, contractChainId));
      return {
        handles: ctHandles,
        digest: ethers.TypedDataEncoder.hash(this.proofDomain, CIPHERTEXT,
          { ctHandles, userAddress, contractAddress, contractChainId, extraData }),
      };
    });
    const data = this.proofs.encodeFunctionData('verifyProofResponse',
      [request.id, handles, signatureOf(node, digest), extraData]);
    return { to, data };
  }

  #publicDecrypt(request, node, extraData) {
    const { result, digest } = this.#alike(request, extraData, () => {
      const words = request.handles.map((handle) => ethers.toBeHex(clearValue(handle), 32));
      const decryptedResult = ethers.concat(words);
      return {
        result: decryptedResult,
        digest: ethers.TypedDataEncoder.hash(this.decryptionDomain, PUBLIC,
          { ctHandles: request.handles, decryptedResult, extraData }),
      };
    });
    const data = callWithBytes(
      this.publicSelector, request.id, [result, signatureOf(node, digest), extraData]);
    return { to: this.contracts.decryption, data };
  }

  // By hand, since only the share differs from node to node: three times as fast.
  #share(request, node, extraData) {
    const alike = this.#alike(request, extraData, () => [
      ethers.keccak256(request.publicKey), ethers.keccak256(ethers.concat(request.handles)),
      ethers.keccak256(extraData),
    ]);
    const share = shareOf(request, node, this.switches.shareBytes);
    const struct = ethers.keccak256(
      ethers.concat([USER_TYPE, alike[0], alike[1], ethers.keccak256(share), alike[2]]));
    const digest = ethers.keccak256(ethers.concat(['0x1901', this.decryptionSeparator, struct]));
    const data = callWithBytes(
      this.userSelector, request.id, [share, signatureOf(node, digest), extraData]);
    return { to: this.contracts.decryption, data };
  }
}
