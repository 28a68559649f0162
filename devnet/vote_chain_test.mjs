// The stand-in for the vote chain, and for its prover: node --test devnet/vote_chain_test.mjs

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ROUND, VoteChain } from './vote_chain.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'votes-'));
let chain;
let at;

function freePort() {
  return new Promise((done) => {
    const probe = net.createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}

before(async () => {
  chain = new VoteChain(path.join(folder, 'votes.json'));
  await chain.start(await freePort());
  at = `http://127.0.0.1:${chain.port}`;
});
after(() => {
  chain.stop();
  fs.rmSync(folder, { recursive: true });
});

async function ask(where, body) {
  const options = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  const response = await fetch(at + where, options);
  return { status: response.status, body: await response.json() };
}

const vote = (where, body) => ask(`/shielded-vote/v1/${where}`, body);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const prover = (question) =>
  JSON.parse(execFileSync(process.execPath, [here('prover.mjs')], { input: JSON.stringify(question) }));

function reveal(byte) {
  return {
    share_nullifier: Buffer.alloc(32, byte).toString('base64'), enc_share: Buffer.alloc(64).toString('base64'),
    proof: 'AAAA', vote_round_id: Buffer.from(ROUND, 'hex').toString('base64'),
    vote_comm_tree_anchor_height: 1, proposal_id: 1, vote_decision: 0,
  };
}

test('its round is active and ends at least a week ahead', async () => {
  const { status, body } = await vote(`round/${ROUND}`);
  assert.equal(status, 200);
  assert.equal(body.round.status, 1);
  assert.ok(body.round.vote_end_time > Date.now() / 1000 + 7 * 86400);
  const unknown = await vote(`round/${'22'.repeat(32)}`);
  assert.equal(unknown.status, 500);
  assert.match(unknown.body.error, /vote round not found/);
});

test('a reveal goes into a block, once', async () => {
  const first = await vote('reveal-share', reveal(1));
  assert.deepEqual([first.status, first.body.code], [200, 0]);
  const tx = `tx/${first.body.tx_hash}`;
  assert.equal((await vote(tx)).status, 404);
  const second = await vote('reveal-share', reveal(1));
  assert.deepEqual([second.status, second.body.code, second.body.codespace], [422, 2, 'vote']);
  while ((await vote(tx)).status === 404) await new Promise((done) => setTimeout(done, 50));
  const key = `0x0102${ROUND}${'01'.repeat(32)}`;
  const { body } = await ask(`/abci_query?path=%22/store/vote/key%22&data=${key}`);
  assert.ok(body.result.response.value);
});

test('what is malformed is refused', async () => {
  assert.equal((await vote('reveal-share', { ...reveal(2), enc_share: 'AA==' })).status, 400);
  assert.equal((await vote('reveal-share', { ...reveal(2), vote_comm_tree_anchor_height: 0 })).status, 400);
  const other = await vote('reveal-share', { ...reveal(2), vote_round_id: Buffer.alloc(32).toString('base64') });
  assert.deepEqual([other.status, other.body.code], [422, 3]);
});

test('a restart remembers what is revealed, and the end of the round', async () => {
  const again = new VoteChain(path.join(folder, 'votes.json'));
  assert.equal(again.description.voteEndTime, chain.description.voteEndTime);
});

test('the stand-in prover makes the path of the tree, and the same nullifier for the same share', async () => {
  const { body } = await vote(`commitment-tree/${ROUND}/leaves?from_height=0&to_height=1`);
  const leaves = Buffer.concat(body.blocks[0].leaves.map((leaf) => Buffer.from(leaf, 'base64')));
  const made = prover({ op: 'path', leaves: leaves.toString('base64'), position: 5 });
  assert.equal(made.root, (await vote(`commitment-tree/${ROUND}/latest`)).body.tree.root);
  assert.equal(Buffer.from(made.merkle_path, 'base64').length, 772);
  const share = { op: 'prove', merkle_path: made.merkle_path, share_index: 1, proposal_id: 2 };
  const proof = prover(share);
  assert.equal(Buffer.from(proof.share_nullifier, 'base64').length, 32);
  assert.deepEqual(prover(share), proof);
  assert.notDeepEqual(prover({ ...share, share_index: 2 }).share_nullifier, proof.share_nullifier);
  assert.deepEqual(prover({ op: 'path', leaves: '', position: 0 }), { rc: -1 });
});
