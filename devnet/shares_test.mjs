// What the library of real clients makes of our shares: the values, from any 2t+1 of 3t+1 nodes.
// `node --test shares_test.mjs`; needs no devnet that runs.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { ethers } from 'ethers';
import { account, GATEWAY_CHAIN } from './cast.mjs';
import { handleOf } from './ciphertexts.mjs';
import { canShare, shareFor, userKey } from './shares.mjs';

const tkms = createRequire(import.meta.url)('node-tkms');
const contract = '0x1111111111111111111111111111111111111111';
const domain =
  { name: 'Decryption', version: '1', chainId: GATEWAY_CHAIN, verifyingContract: contract };
const ANSWER = {
  UserDecryptResponseVerification: [
    { name: 'publicKey', type: 'bytes' }, { name: 'ctHandles', type: 'bytes32[]' },
    { name: 'userDecryptedShare', type: 'bytes' }, { name: 'extraData', type: 'bytes' },
  ],
};
// By the type of the handle.
const VALUES = { 0: 1n, 2: 200n, 3: 65535n, 4: 7n, 5: 2n ** 64n - 3n, 6: 2n ** 127n + 1n, 7: 2n ** 159n + 5n,
  8: 2n ** 255n + 12345n };
const values = Object.values(VALUES);
const handles = Object.keys(VALUES).map((type, index) =>
  handleOf(ethers.id('seed'), index, 8009, Number(type)));
const bare = (hex) => hex.slice(2);

function client() {
  const secretKey = tkms.ml_kem_pke_keygen();
  const key = tkms.ml_kem_pke_get_pk(secretKey);
  return {
    secretKey, key, publicKey: ethers.hexlify(tkms.ml_kem_pke_pk_to_u8vec(key)),
    userAddress: account('user').address,
  };
}

const nodesOf = (count) => Array.from({ length: count }, (_, index) =>
  ({ index, signer: account('kms signer', index) }));

async function answersOf(asking, nodes, { publicKey, userAddress }) {
  const user = userKey(publicKey);
  return Promise.all(asking.map(async (node) => {
    const share = shareFor(
      { node, nodes: nodes.length, handles, values, publicKey, userAddress, user, domain });
    const signature = await node.signer.signTypedData(domain, ANSWER,
      { publicKey, ctHandles: handles, userDecryptedShare: share, extraData: '0x' });
    return { payload: bare(share), signature: bare(signature), extra_data: '' };
  }));
}

function reconstructed(answers, nodes, { secretKey, key, publicKey, userAddress }) {
  const servers = nodes.map(({ index, signer }) => tkms.new_server_id_addr(index + 1, signer.address));
  const request = {
    client_address: userAddress, enc_key: bare(publicKey), ciphertext_handles: handles.map(bare),
    eip712_verifying_contract: contract,
  };
  const chain_id = ethers.getBytes(ethers.toBeHex(GATEWAY_CHAIN, 32));
  const plain = tkms.process_user_decryption_resp_from_js(
    tkms.new_client(servers, userAddress, 'default'), request,
    { name: domain.name, version: domain.version, chain_id, verifying_contract: contract, salt: null },
    answers, key, secretKey, true);
  return plain.map(({ bytes }) => BigInt(ethers.hexlify(bytes)));
}

for (const [count, enough] of [[4, 3], [7, 5], [13, 9]]) {
  test(`${enough} of ${count} nodes are enough, ${enough - 1} are not`, async () => {
    const nodes = nodesOf(count);
    const asked = client();
    const answers = await answersOf(nodes, nodes, asked);
    const last = answers.slice(-enough).reverse();
    assert.deepEqual(reconstructed(last, nodes, asked), values);
    assert.deepEqual(reconstructed(answers, nodes, asked), values);
    assert.throws(() => reconstructed(last.slice(1), nodes, asked));
  });
}

test('a share that another signed does not count', async () => {
  const nodes = nodesOf(4);
  const asked = client();
  const answers = await answersOf(nodes.slice(0, 3), nodes, asked);
  answers[1].signature = answers[0].signature;
  assert.throws(() => reconstructed(answers, nodes, asked));
});

test('what is no key, and too few or too many nodes, gets no real share', () => {
  assert.equal(userKey('0x' + 'ab'.repeat(800)), undefined);
  assert.equal(userKey(client().publicKey.slice(0, -2)), undefined);
  assert.equal(canShare(handles, 4), true);
  for (const count of [1, 3, 16]) assert.equal(canShare(handles, count), false);
  assert.equal(canShare([handleOf(ethers.id('seed'), 0, 8009, 99)], 4), false);
});
