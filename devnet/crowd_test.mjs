// Whether a chain of the devnet goes on when very many transactions wait for one that is missing.
// `DEVNET=FOLDER/devnet.json node --test crowd_test.mjs` against a devnet that runs.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, test } from 'node:test';
import { ethers } from 'ethers';
import { Rpc } from './rpc.mjs';

const MANY = 4000;
// A constructor that goes around until its gas is used up: as much work as the answer of a node.
const LASTING = '0x5b600056';
const PATIENCE_MS = 60000;

const { gateway, relayers } = JSON.parse(fs.readFileSync(process.env.DEVNET, 'utf8'));
const rpc = new Rpc(gateway.port);
after(() => rpc.close());

test('whatever waits in the pool gets into blocks', async () => {
  const sender = new ethers.Wallet(relayers.at(-1).privateKey);
  const mined = async () => Number(await rpc.call('eth_getTransactionCount', [sender.address, 'latest']));
  const first = await mined();
  const raw = await Promise.all(Array.from({ length: MANY }, (_, index) => sender.signTransaction({
    type: 2, chainId: gateway.chainId, nonce: first + index, to: null, value: 0n, data: LASTING,
    gasLimit: 350000, maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 1n,
  })));
  const send = async (transactions) => {
    const answers = await rpc.batch(transactions.map((bytes) => ['eth_sendRawTransaction', [bytes]]));
    assert.deepEqual(answers.filter(({ error }) => error), []);
  };
  await send(raw.slice(1));
  assert.equal(await mined(), first);
  await send(raw.slice(0, 1));
  const deadline = Date.now() + PATIENCE_MS;
  while ((await mined()) < first + MANY && Date.now() < deadline) {
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.equal(await mined(), first + MANY);
});
