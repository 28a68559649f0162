// What coprocessors and KMS nodes say to a request: always the same to the same one, signed as the real
// ones sign it. (But for shares encrypted to a real key: encryption draws.)

import { createHash } from 'node:crypto';
import { ethers } from 'ethers';
import { GATEWAY_CHAIN } from './cast.mjs';
import { handleOf, inputHandles, typesIn } from './ciphertexts.mjs';
import { canShare, shareFor, typeOf, userKey } from './shares.mjs';

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

export function makeHandle(seed, index, chainId, type = UINT64_TYPE) {
  const hash = ethers.keccak256(coder.encode(['bytes', 'uint256'], [seed, index]));
  return handleOf(hash, index, chainId, type);
}

const CLEAR_BITS = { 0: 1, 2: 8, 3: 16, 4: 32, 5: 64, 6: 128, 7: 160, 8: 256 };

// What was told, or else any value that fits the type and is the same each time.
export function clearValue(handle, told = {}) {
  const value = BigInt(told[handle.toLowerCase()] ?? ethers.keccak256(handle));
  return BigInt.asUintN(CLEAR_BITS[typeOf(handle)] ?? 64, value);
}

// Over which extra data KMS nodes sign: clients that know no KMS contexts send 0x00 and check signatures
// over nothing.
const signedFor = (extraData) => (extraData === '0x00' ? '0x' : extraData);

// For a key that nobody can encrypt to, as most tests have. Those of a hash that is not written in
// JavaScript come ten times as fast.
function meaninglessShare(request, node, size) {
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
  // `acls`: the address of the ACL by the host chain's id. `nodes`: how many KMS nodes there are.
  constructor({ artifacts, contracts, acls, nodes, switches }) {
    Object.assign(this, { contracts, acls, nodes, switches });
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
      const { userAddress, contractAddress, contractChainId } = request;
      const ctHandles = this.#handles(request);
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

  #handles({ ciphertext, userAddress, contractAddress, contractChainId }) {
    const acl = this.acls[contractChainId];
    const types = acl && typesIn(ciphertext);
    if (types) return inputHandles(ciphertext, types, acl, contractChainId);
    const seed = ethers.keccak256(ethers.concat([ciphertext, userAddress, contractAddress]));
    return Array.from({ length: this.switches.handlesPerProof },
      (_, index) => makeHandle(seed, index, contractChainId));
  }

  #clearValues(handles) {
    return handles.map((handle) => clearValue(handle, this.switches.values));
  }

  #publicDecrypt(request, node, extraData) {
    const { result, digest } = this.#alike(request, extraData, () => {
      const words = this.#clearValues(request.handles).map((value) => ethers.toBeHex(value, 32));
      const decryptedResult = ethers.concat(words);
      return {
        result: decryptedResult,
        digest: ethers.TypedDataEncoder.hash(this.decryptionDomain, PUBLIC,
          { ctHandles: request.handles, decryptedResult, extraData: signedFor(extraData) }),
      };
    });
    const data = callWithBytes(
      this.publicSelector, request.id, [result, signatureOf(node, digest), extraData]);
    return { to: this.contracts.decryption, data };
  }

  // By hand, since only the share differs from node to node: three times as fast.
  #share(request, node, extraData) {
    const { hashes: [key, handles, extra], user } = this.#alike(request, extraData, () => ({
      hashes: [request.publicKey, ethers.concat(request.handles), signedFor(extraData)]
        .map((bytes) => ethers.keccak256(bytes)),
      user: canShare(request.handles, this.nodes) ? userKey(request.publicKey) : undefined,
    }));
    const share = user
      ? shareFor({
        ...request, node, nodes: this.nodes, user, domain: this.decryptionDomain,
        values: this.#clearValues(request.handles),
      })
      : meaninglessShare(request, node, this.switches.shareBytes);
    const struct = ethers.keccak256(
      ethers.concat([USER_TYPE, key, handles, ethers.keccak256(share), extra]));
    const digest = ethers.keccak256(ethers.concat(['0x1901', this.decryptionSeparator, struct]));
    const data = callWithBytes(
      this.userSelector, request.id, [share, signatureOf(node, digest), extraData]);
    return { to: this.contracts.decryption, data };
  }
}
