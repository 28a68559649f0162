// Whether the contracts speak as the real ones do: their selectors and topics by number, and what they
// refuse. `DEVNET=FOLDER/devnet.json node --test contracts_test.mjs` against a devnet that runs.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, test } from 'node:test';
import { ethers } from 'ethers';
import { makeHandle } from './answers.mjs';
import { loadArtifacts } from './compile.mjs';
import { Rpc } from './rpc.mjs';

const devnet = JSON.parse(fs.readFileSync(process.env.DEVNET, 'utf8'));
const { gateway, relayers, users } = devnet;
const { artifacts } = loadArtifacts();
const rpc = new Rpc(gateway.port);
const [host] = devnet.hosts;
const hostRpc = new Rpc(host.port);
const contract = '0x1111111111111111111111111111111111111111';
const user = new ethers.Wallet(users[0].privateKey);
const delegator = users[1].address;
const faces = Object.fromEntries(
  Object.entries(artifacts).map(([name, { abi }]) => [name, new ethers.Interface(abi)]));

after(() => {
  rpc.close();
  hostRpc.close();
});

async function control(path, body) {
  const answer = await fetch(`${devnet.control}${path}`, { method: 'POST', body: JSON.stringify(body) });
  const json = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(json));
  return json.result;
}

const now = Number((await rpc.call('eth_getBlockByNumber', ['latest', false])).timestamp);
const handle = (index = 0, chain = host.chainId, type = 5) => makeHandle('0xab', index, chain, type);

// What a call is refused with: the selector of the error, or '' when it is not.
async function refusal(to, data, from = relayers[0].address, node = rpc) {
  try {
    await node.call('eth_call', [{ from, to, input: data }, 'latest']);
    return '';
  } catch (error) {
    assert.equal(error.code, 3, error.message);
    return error.data.slice(0, 10);
  }
}

const proofRequest = (chain = host.chainId) => [gateway.contracts.inputVerification,
  faces.InputVerification.encodeFunctionData('0xa7004996', [chain, contract, user.address, '0xaa', '0x00'])];
const publicRequest = (handles = [handle()], extraData = '0x00') => [gateway.contracts.decryption,
  faces.Decryption.encodeFunctionData('0xd8998f45', [handles, extraData])];

const asked = (changes) => ({
  pairs: [[handle(), contract]], start: now - 60, days: 10, chain: host.chainId, contracts: [contract],
  user: user.address, key: '0xabcd', extraData: '0x00', ...changes,
});
const TYPE = [['bytes', 'publicKey'], ['address[]', 'contractAddresses'], ['uint256', 'startTimestamp'],
  ['uint256', 'durationDays'], ['bytes', 'extraData']].map(([type, name]) => ({ type, name }));
const domain = (r) => ({
  name: 'Decryption', version: '1', chainId: r.chain, verifyingContract: gateway.contracts.decryption,
});
const message = (r) => ({
  publicKey: r.key, contractAddresses: r.contracts, startTimestamp: r.start, durationDays: r.days,
  extraData: r.extraData, delegatorAddress: delegator,
});

async function direct(changes = {}) {
  const r = asked(changes);
  const signature = r.signature ??
    await user.signTypedData(domain(r), { UserDecryptRequestVerification: TYPE }, message(r));
  return [gateway.contracts.decryption, faces.Decryption.encodeFunctionData('0xf1b57adb',
    [r.pairs, [r.start, r.days], [r.chain, r.contracts], r.user, r.key, signature, r.extraData])];
}

async function delegated(changes = {}) {
  const r = asked(changes);
  const type = [...TYPE.slice(0, 2), { type: 'address', name: 'delegatorAddress' }, ...TYPE.slice(2)];
  const signature =
    await user.signTypedData(domain(r), { DelegatedUserDecryptRequestVerification: type }, message(r));
  return [gateway.contracts.decryption, faces.Decryption.encodeFunctionData('0x9fad5a2f',
    [r.pairs, [r.start, r.days], [r.delegator ?? delegator, r.user], [r.chain, r.contracts], r.key,
      signature, r.extraData])];
}

function unified(changes = {}) {
  const r = { handles: [[handle(), contract, user.address]], seconds: 60 * 60, ...asked(changes), ...changes };
  return [gateway.contracts.decryption, faces.Decryption.encodeFunctionData('0xb4de2c37',
    [r.handles, r.user, r.key, changes.contracts ?? [], [r.start, r.seconds], '0x', r.extraData])];
}

test('selectors and topics', () => {
  const expected = {
    InputVerification: ['0xa7004996', '0x31bedea3', '0x338007fc',
      '0x4ae54f6a6e900d806ffa5bb46ed91459523d2f6ac9b5d62404feab887686d005',
      '0xfe2c43585786a5a658d2ec5df5dea3fb3385b77c94f60f724ff810896f419835',
      '0xe465e141fa8abd95ab7e0855543307f8506ab0170ef664420fb71ab7de0183de',
      '0x01df0fa69857deb2d405618780115de4758a8a3a7e036c8e539aac1c3e889f69',
      '0x675cefb1743f728fd21b29c5f6a754b3f0f2ad47acf61ffbfb7b5d9cb85e8cef'],
    Decryption: ['0xd8998f45', '0xf1b57adb', '0x9fad5a2f', '0xb4de2c37', '0x4014c4cd', '0xe22d1b26',
      '0x410bf0ba', '0xfbb83259', '0x58f5b8ab', '0x6f8913bc', '0x046f9eb3',
      '0x22db480a39bd72556438aadb4a32a3d2a6638b87c03bbec5fef6997e109587ff',
      '0xd7e58a367a0a6c298e76ad5d240004e327aa1423cbe4bd7ff85d4c715ef8d15f',
      '0xf9011bd6ba0da6049c520d70fe5971f17ed7ab795486052544b51019896c596b',
      '0x1f80a47b51979837976f999a7735fdccbbe570e0d40081644ec88f8ed76c9612',
      '0x7fcdfb5381917f554a717d0a5470a33f5a49ba6445f05ec43c74c0bc2cc608b2',
      '0xe89752be0ecdb68b2a6eb5ef1a891039e0e92ae3c8a62274c5881e48eea1ed25',
      '0x9bb088a53f1fe13ec84fa0a1d7b578b589e193268baaccc5e23f7ab785aa3dae',
      '0xc71e32c80f3109c673a9adfcded0b3b2093212ab284084a0e03a281dee2bdd5f',
      '0x8ed4fab8b1d050676cd7d7d9fa448d5d22113375fab8ad4dc690e54593c527bf',
      '0x4d7b1dba49e9e846215e1621f5737c81d8614c4f268494d8b787632c4e59f0e5'],
    CiphertextCommits: ['0x90f30354'],
    ACL: ['0xac9650d8', '0xc0d02943', '0x82027b6d', '0xd09c0dee'],
    ProtocolConfig: ['0x65b394af', '0xc999a8b4', '0x281e8bfe',
      '0x204d6b80121154cd87d99cf54c639a3dd0a53b3084277098de972ebdd34c6be9'],
    KMSGeneration: ['0xd52f10eb', '0xbaff211e', '0x936608ae', '0xc55b8724'],
    SmartAccount: ['0x1626ba7e'],
  };
  for (const [name, numbers] of Object.entries(expected)) {
    const has = new Set();
    faces[name].forEachFunction(({ selector }) => has.add(selector));
    faces[name].forEachEvent(({ topicHash }) => has.add(topicHash));
    assert.deepEqual(numbers.filter((number) => !has.has(number)), [], name);
  }
});

test('good requests are taken', async () => {
  for (const request of [proofRequest(), publicRequest(), await direct(), await delegated(), unified()])
    assert.equal(await refusal(...request), '');
});

test('what is wrong with a request has its own error', async () => {
  const many = Array.from({ length: 9 }, (_, index) => handle(index, host.chainId, 8));
  const eleven = Array.from({ length: 11 }, (_, index) => ethers.toBeHex(index + 1, 20));
  const cases = [
    ['unknown chain', '0xb6679c3b', proofRequest(77)],
    ['no handles', '0x2de75438', publicRequest([])],
    ['no pairs', '0xa6a6cb21', await direct({ pairs: [] })],
    ['no entries', '0x240e9309', unified({ handles: [] })],
    ['no type', '0x641950d7', publicRequest([handle(0, host.chainId, 200)])],
    ['a type that is not decrypted', '0xbe7830b1', publicRequest([handle(0, host.chainId, 9)])],
    ['too many bits', '0xe7f4895d', publicRequest(many)],
    ['extra data of version 3', '0x2139cc2c', publicRequest([handle()], '0x03')],
    ['short extra data', '0x93548a66', publicRequest([handle()], '0x0107')],
    ['context 0', '0xcb17b7a5', publicRequest([handle()], '0x01' + '00'.repeat(32))],
    ['unknown context', '0x77ddbe81', publicRequest([handle()], '0x01' + '07'.padEnd(64, '9'))],
    ['no contracts', '0x57cfa217', await direct({ contracts: [] })],
    ['too many contracts', '0xaf1f0495', await direct({ contracts: eleven })],
    ['too many contracts, unified', '0xaf1f0495', unified({ contracts: eleven })],
    ['no days', '0xde2859c1', await direct({ days: 0 })],
    ['too many days', '0x32951863', await direct({ days: 366 })],
    ['no seconds', '0x48a788dc', unified({ seconds: 0 })],
    ['too many seconds', '0xae52eb12', unified({ seconds: 366 * 86400 })],
    ['not begun', '0xf24c0887', await direct({ start: now + 86400 })],
    ['over', '0x30348040', await direct({ start: now - 11 * 86400 })],
    ['over, unified', '0x678fcfce', unified({ start: now - 86400 })],
    ['user is a contract', '0xdc4d78b1', await direct({ contracts: [contract, user.address] })],
    ['delegator is a contract', '0xc3446ac7', await delegated({ contracts: [contract, delegator] })],
    ['another chain', '0x9590e916', await direct({ pairs: [[handle(0, 9001), contract]] })],
    ['contract not listed', '0xa4c30391', await direct({ contracts: [ethers.toBeHex(5, 20)] })],
    ['signed by another', '0x2a873d27', await direct({ user: delegator })],
    ['short signature', '0xfce698f7', await direct({ signature: '0x1234' })],
    ['signature of zeros', '0xf645eedf', await direct({ signature: '0x' + '00'.repeat(65) })],
    ['high s', '0xd78bce0c', await direct({ signature: '0x' + 'ff'.repeat(64) + '1b' })],
  ];
  for (const [name, selector, request] of cases)
    assert.equal(await refusal(...request), selector, name);
});

test('switches of the gateway', async () => {
  const at = '/contracts/gateway';
  await control(`${at}/decryption/setPaused`, [true]);
  assert.equal(await refusal(...publicRequest()), '0xd93c0665');
  await control(`${at}/decryption/setPaused`, [false]);
  await control(`${at}/gatewayConfig/setHostChain`, [9001, true, true]);
  assert.equal(await refusal(...proofRequest(9001)), '0x603668c4');
  await control(`${at}/gatewayConfig/setHostChain`, [9001, true, false]);
  await control(`${at}/ciphertextCommits/setHidden`, [handle(), true]);
  assert.equal(await refusal(...publicRequest()), '0x0666cbdf');
  const ready = (handles) => faces.Decryption.encodeFunctionData('0x4014c4cd', [handles, '0x00']);
  const ask = async (handles) => BigInt(await rpc.call('eth_call',
    [{ to: gateway.contracts.decryption, input: ready(handles) }, 'latest']));
  assert.deepEqual([await ask([handle()]), await ask([handle(1)]), await ask([])], [0n, 1n, 0n]);
  await control(`${at}/ciphertextCommits/setHidden`, [handle(), false]);
  // Fees: of an account that has none, and of one that has approved nothing.
  assert.equal(await refusal(...publicRequest(), user.address), '0xfb8f41b2');
  const [, burnt] = relayers;
  const [balance] = await control(`${at}/feeToken/balanceOf`, [burnt.address]);
  await control(`${at}/feeToken/burn`, [burnt.address, balance]);
  assert.equal(await refusal(...publicRequest(), burnt.address), '0xe450d38c');
  await control(`${at}/feeToken/mint`, [burnt.address, balance]);
  assert.equal(await refusal(...publicRequest(), burnt.address), '');
});

test('the ACL answers in one call, and its switches work', async () => {
  const at = `/contracts/${host.name}/acl`;
  const calls = [
    faces.ACL.encodeFunctionData('isAllowedForDecryption', [handle()]),
    faces.ACL.encodeFunctionData('isAllowed', [handle(), user.address]),
    faces.ACL.encodeFunctionData('isHandleDelegatedForUserDecryption',
      [delegator, user.address, contract, handle()]),
  ];
  const ask = async () => {
    const input = faces.ACL.encodeFunctionData('multicall', [calls]);
    const answer = await hostRpc.call('eth_call', [{ to: host.contracts.acl, input }, 'latest']);
    return [...faces.ACL.decodeFunctionResult('multicall', answer)[0]].map(BigInt);
  };
  assert.deepEqual(await ask(), [1n, 1n, 1n]);
  await control(`${at}/setDenied`, [handle(), true]);
  assert.deepEqual(await ask(), [0n, 0n, 0n]);
  await control(`${at}/setDenied`, [handle(), false]);
  await control(`${at}/setAllowsAll`, [false]);
  assert.deepEqual(await ask(), [0n, 0n, 0n]);
  await control(`${at}/allow`, [handle(), user.address]);
  await control(`${at}/allowForDecryption`, [[handle()]]);
  assert.deepEqual(await ask(), [1n, 1n, 0n]);
  await control(`${at}/setAllowsAll`, [true]);
  await control(`${at}/setOutOfOrder`, [true]);
  await assert.rejects(ask());
  await control(`${at}/setOutOfOrder`, [false]);
});

test('the KMS context is to be found at the block that its anchor names, as finalized', async () => {
  const ask = async (name, to, method, values) => faces[name].decodeFunctionResult(method,
    await hostRpc.call('eth_call',
      [{ to, input: faces[name].encodeFunctionData(method, values) }, 'finalized']));
  const { protocolConfig, kmsGeneration } = host.contracts;
  const [context] = await ask('ProtocolConfig', protocolConfig, 'getCurrentKmsContextAndEpoch', []);
  assert.equal(ethers.toBeHex(context), devnet.context.id);
  const [block] = await ask('ProtocolConfig', protocolConfig, 'getKmsContextAnchor', [context]);
  const event = faces.ProtocolConfig.getEvent('NewKmsContext');
  const number = ethers.toQuantity(block);
  const [log] = await hostRpc.call('eth_getLogs', [{
    fromBlock: number, toBlock: number, address: protocolConfig,
    topics: [event.topicHash, devnet.context.id],
  }]);
  const { kmsNodeParams } = faces.ProtocolConfig.decodeEventLog(event, log.data, log.topics);
  const [key] = await ask('KMSGeneration', kmsGeneration, 'getActiveKeyId', []);
  await ask('KMSGeneration', kmsGeneration, 'getKeyMaterials', [key]);
  const [first] = kmsNodeParams;
  const url = `${first.storageUrl}/${first.storagePrefix}/PublicKey/${ethers.toBeHex(key, 32).slice(2)}`;
  assert.equal((await fetch(url)).status, 200);
  const threshold = await ask(
    'ProtocolConfig', protocolConfig, 'getUserDecryptionThresholdForContext', [context]);
  assert.equal(Number(threshold[0]), devnet.thresholds.userDecryption);
  await assert.rejects(
    ask('ProtocolConfig', protocolConfig, 'getUserDecryptionThresholdForContext', [5]));
});
