// Sends requests of every kind straight to the gateway, without a relayer, and waits for what the devnet
// answers: `node try.mjs FOLDER/devnet.json [--count N] [--no-wait] [--wait-for-answers SECONDS]`.
// Prints one line for each kind, and ends with 1 when an answer is missing.

import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { ethers } from 'ethers';
import { makeHandle } from './answers.mjs';
import { loadArtifacts } from './compile.mjs';
import { hex, Rpc } from './rpc.mjs';

const KINDS = ['input_proof', 'public_decrypt', 'user_decrypt', 'delegated', 'unified'];
const POLL_MS = 50;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '1' },
    'no-wait': { type: 'boolean' },
    seconds: { type: 'string', default: '60' },
  },
});
const devnet = JSON.parse(fs.readFileSync(positionals[0], 'utf8'));
const { gateway, hosts, thresholds } = devnet;
const { artifacts } = loadArtifacts();
const proofs = new ethers.Interface(artifacts.InputVerification.abi);
const decryptions = new ethers.Interface(artifacts.Decryption.abi);
const rpc = new Rpc(gateway.port);
const relayer = new ethers.Wallet(devnet.relayers[0].privateKey);
const [user, delegator] = devnet.users.map(({ privateKey }) => new ethers.Wallet(privateKey));
const host = hosts[0].chainId;
const contract = '0x1111111111111111111111111111111111111111';
const publicKey = ethers.hexlify(ethers.randomBytes(800));
const now = Number((await rpc.call('eth_getBlockByNumber', ['latest', false])).timestamp);
const validity = [now - 60, 10];

const USER = {
  UserDecryptRequestVerification: [
    { name: 'publicKey', type: 'bytes' },
    { name: 'contractAddresses', type: 'address[]' },
    { name: 'startTimestamp', type: 'uint256' },
    { name: 'durationDays', type: 'uint256' },
    { name: 'extraData', type: 'bytes' },
  ],
};
const DELEGATED = {
  DelegatedUserDecryptRequestVerification: [
    ...USER.UserDecryptRequestVerification.slice(0, 2),
    { name: 'delegatorAddress', type: 'address' },
    ...USER.UserDecryptRequestVerification.slice(2),
  ],
};
const domain =
  { name: 'Decryption', version: '1', chainId: host, verifyingContract: gateway.contracts.decryption };
const signed = {
  publicKey, contractAddresses: [contract], startTimestamp: validity[0], durationDays: validity[1],
  extraData: '0x00', delegatorAddress: delegator.address,
};
const signatures = {
  user: await user.signTypedData(domain, USER, signed),
  delegate: await user.signTypedData(domain, DELEGATED, signed),
};

function transactionOf(kind, number) {
  const seed = ethers.hexlify(ethers.randomBytes(16));
  const handles = [makeHandle(seed, 0, host), makeHandle(seed, 1, host)];
  const pairs = handles.map((handle) => [handle, contract]);
  const asked = [host, [contract]];
  const decryption = (data) => ({ to: gateway.contracts.decryption, data });
  switch (kind) {
    case 'input_proof':
      return {
        to: gateway.contracts.inputVerification,
        data: proofs.encodeFunctionData('verifyProofRequest',
          [host, contract, user.address, ethers.toBeHex(number + 1, 64), '0x00']),
      };
    case 'public_decrypt':
      return decryption(decryptions.encodeFunctionData('publicDecryptionRequest', [handles, '0x00']));
    case 'user_decrypt':
      return decryption(decryptions.encodeFunctionData('0xf1b57adb',
        [pairs, validity, asked, user.address, publicKey, signatures.user, '0x00']));
    case 'delegated':
      return decryption(decryptions.encodeFunctionData('0x9fad5a2f',
        [pairs, validity, [delegator.address, user.address], asked, publicKey, signatures.delegate, '0x00']));
    default:
      return decryption(decryptions.encodeFunctionData('0xb4de2c37',
        [handles.map((handle) => [handle, contract, user.address]), user.address, publicKey, [],
          [validity[0], 86400], '0x', '0x00']));
  }
}

async function send(count) {
  let nonce = Number(await rpc.call('eth_getTransactionCount', [relayer.address, 'pending']));
  const kinds = Array.from({ length: count }, () => KINDS).flat();
  const raw = await Promise.all(kinds.map((kind, index) => relayer.signTransaction({
    type: 2, chainId: gateway.chainId, nonce: nonce++, gasLimit: 2_000_000n, value: 0n,
    maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 1n, ...transactionOf(kind, index),
  })));
  const sent = await rpc.batch(raw.map((bytes) => ['eth_sendRawTransaction', [bytes]]));
  for (const { error } of sent) if (error) throw new Error(error.message);
  return sent.map(({ result }, index) => ({ kind: kinds[index], hash: result }));
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function receiptsOf(requests, deadline) {
  for (;;) {
    const answers = await rpc.batch(
      requests.map(({ hash }) => ['eth_getTransactionReceipt', [hash]]));
    if (answers.every(({ result }) => result)) return answers.map(({ result }) => result);
    if (Date.now() > deadline) throw new Error('the requests are not mined');
    await pause(POLL_MS);
  }
}

const ANSWERS = [
  proofs.getEvent('VerifyProofResponse'), proofs.getEvent('RejectProofResponse'),
  decryptions.getEvent('PublicDecryptionResponse'), decryptions.getEvent('UserDecryptionResponse'),
].map(({ topicHash }) => topicHash);

// How many answers of each request are on the chain that a relayer waits for.
async function answersSince(block) {
  const head = await rpc.call('eth_blockNumber');
  const counts = new Map();
  const logs = await rpc.call('eth_getLogs', [{
    fromBlock: hex(block), toBlock: head, topics: [ANSWERS],
    address: [gateway.contracts.inputVerification, gateway.contracts.decryption],
  }]);
  for (const { topics: [, id] } of logs) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

const started = Date.now();
const deadline = started + Number(values.seconds) * 1000;
const requests = await send(Number(values.count));
const receipts = await receiptsOf(requests, deadline);
requests.forEach((request, index) => {
  const { status, logs } = receipts[index];
  if (status !== '0x1') throw new Error(`a request of kind ${request.kind} was reverted`);
  request.id = logs.at(-1).topics[1];
  request.wanted = ['input_proof', 'public_decrypt'].includes(request.kind)
    ? 1 : thresholds.userDecryption;
});
const first = Math.min(...receipts.map(({ blockNumber }) => Number(blockNumber)));
let missing = values['no-wait'] ? [] : requests;
while (missing.length > 0 && Date.now() < deadline) {
  const counts = await answersSince(first);
  missing = requests.filter(({ id, wanted }) => (counts.get(id) ?? 0) < wanted);
  if (missing.length > 0) await pause(POLL_MS);
}
for (const kind of KINDS) {
  const all = requests.filter((request) => request.kind === kind);
  const open = missing.filter((request) => request.kind === kind).length;
  console.log(`${kind}: ${all.length} requests, ${all.length - open} answered, first id ${all[0].id}`);
}
console.log(`${((Date.now() - started) / 1000).toFixed(1)} s`);
rpc.close();
process.exitCode = missing.length > 0 ? 1 : 0;
