// Requests as they stand on the gateway's chain: reads the events, each request once.

import { ethers } from 'ethers';

// Of the two events of a decryption the short one, which stays when the other goes.
const PLAIN = {
  proof: 'VerifyProofRequest',
  public: 'PublicDecryptionRequest(uint256,bytes32[],bytes)',
  user: 'UserDecryptionRequest(uint256,bytes32[],address,bytes,bytes)',
  unified: 'UserDecryptionRequest(uint256,(bytes32,address,address)[],' +
    '(address,bytes,address[],(uint256,uint256),bytes,bytes))',
};

export class Requests {
  constructor(artifacts, contracts) {
    const proofs = new ethers.Interface(artifacts.InputVerification.abi);
    const decryptions = new ethers.Interface(artifacts.Decryption.abi);
    this.readers = new Map();
    const read = (face, name, reader) => {
      const fragment = face.getEvent(name);
      this.readers.set(fragment.topicHash, (log) => reader(face.decodeEventLog(fragment, log.data, log.topics)));
    };
    read(proofs, PLAIN.proof, ([id, chain, contract, user, ciphertext, extraData]) => ({
      kind: 'input_proof', id, contractChainId: chain, contractAddress: contract,
      userAddress: user, ciphertext, extraData,
    }));
    read(decryptions, PLAIN.public, ([id, handles, extraData]) => ({
      kind: 'public_decrypt', id, handles: [...handles], extraData,
    }));
    read(decryptions, PLAIN.user, ([id, handles, userAddress, publicKey, extraData]) => ({
      kind: 'user_decrypt', id, handles: [...handles], userAddress, publicKey, extraData,
    }));
    read(decryptions, PLAIN.unified, ([id, entries, payload]) => ({
      kind: 'user_decrypt', id, handles: entries.map((entry) => entry.handle),
      userAddress: payload.userAddress, publicKey: payload.publicKey, extraData: payload.extraData,
    }));
    this.filter = {
      address: [contracts.inputVerification, contracts.decryption],
      topics: [[...this.readers.keys()]],
    };
  }

  // In the order of the chain.
  async between(rpc, fromBlock, toBlock) {
    const range = { fromBlock: '0x' + fromBlock.toString(16), toBlock: '0x' + toBlock.toString(16) };
    const logs = await rpc.call('eth_getLogs', [{ ...this.filter, ...range }]);
    return logs.map((log) => ({
      ...this.readers.get(log.topics[0])(log),
      block: Number(log.blockNumber),
    }));
  }
}
