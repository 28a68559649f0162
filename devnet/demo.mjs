// Posts input proofs and public decryptions to a relayer over HTTP and shows how far each is until all have
// their answer: `node demo.mjs URL [--count N] [--rate N] [--seconds S]`. Some proofs are bad on purpose, so that
// both verdicts are seen. Ends with 1 when something did not come out as it should.

import http from 'node:http';
import { parseArgs } from 'node:util';
import { randomBytes } from 'node:crypto';

const { values, positionals: [url] } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '100' },
    rate: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '120' },
  },
});
const count = Number(values.count);
const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
const started = Date.now();
const deadline = started + Number(values.seconds) * 1000;
const seconds = () => (Date.now() - started) / 1000;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function ask(method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = body ? { 'content-type': 'application/json' } : {};
    const request = http.request(url + path, { method, agent, headers, timeout: 20000 }, (response) => {
      let text = '';
      response.on('data', (chunk) => { text += chunk; });
      response.on('end', () => {
        const retryMs = 1000 * Number(response.headers['retry-after'] ?? 1);
        resolve({ status: response.statusCode, retryMs, json: JSON.parse(text) });
      });
    });
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    request.on('error', reject);
    request.end(body ? JSON.stringify(body) : undefined);
  });
}

const STATES = ['waiting to be posted', 'queued', 'processing', 'tx_in_flight', 'receipt_received',
  'accepted', 'rejected', 'decrypted', 'failed'];

// What a job posts, and where it is to end.
function inputProof(bad) {
  return {
    path: '/v2/input-proof',
    wanted: bad ? 'rejected' : 'accepted',
    body: {
      contractChainId: '8009',
      contractAddress: '0x1111111111111111111111111111111111111111',
      userAddress: '0x2222222222222222222222222222222222222222',
      // What begins so is rejected by the devnet's coprocessors.
      ciphertextWithInputVerification: (bad ? 'deadbeef' : '00') + randomBytes(64).toString('hex'),
      extraData: '0x00',
    },
  };
}

function publicDecryption() {
  // On chain 8009, of a type with 64 bits.
  const handle = `0x${randomBytes(22).toString('hex')}0000000000001f490500`;
  return {
    path: '/v2/public-decrypt',
    wanted: 'decrypted',
    body: { ciphertextHandles: [handle], extraData: '0x00' },
  };
}

const jobs = Array.from({ length: count }, (_, index) => ({
  state: STATES[0],
  ...(index % 2 === 0 ? inputProof(index % 10 === 8) : publicDecryption()),
}));

function endOf({ decryptedValue, accepted }) {
  if (decryptedValue !== undefined) return 'decrypted';
  return accepted ? 'accepted' : 'rejected';
}

async function follow(job) {
  const posted = await ask('POST', job.path, job.body);
  if (posted.status !== 202) {
    [job.state, job.why] = ['failed', `POST ${posted.status} ${posted.json.error?.label}`];
    return;
  }
  job.state = 'queued';
  const { jobId } = posted.json.result;
  while (Date.now() < deadline) {
    const { status, json, retryMs } = await ask('GET', `${job.path}/${jobId}`);
    if (status !== 202) {
      const { result, error } = json;
      if (status === 200) job.state = endOf(result);
      else [job.state, job.why] = ['failed', `GET ${status} ${error?.label}: ${error?.message}`];
      job.took = seconds();
      return;
    }
    job.state = json.state ?? 'queued';
    await pause(Math.min(retryMs, 1000));
  }
}

function draw(last) {
  const parts = STATES.map((state) => [state, jobs.filter((job) => job.state === state).length])
    .filter(([, number]) => number > 0).map(([state, number]) => `${number} ${state}`);
  const done = jobs.filter(({ took }) => took !== undefined).length;
  const width = 30;
  const bar = '#'.repeat(Math.round((done / count) * width)).padEnd(width, '.');
  const line = `${seconds().toFixed(1).padStart(6)} s [${bar}] ${parts.join(', ')}`;
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${line}${last ? '\n' : ''}`);
  else console.log(line);
}

console.log(`${count} input proofs and public decryptions to ${url}`);
const drawing = setInterval(draw, process.stdout.isTTY ? 100 : 1000, false);
await Promise.all(jobs.map(async (job, index) => {
  await pause((index * 1000) / Number(values.rate));
  try {
    await follow(job);
  } catch (error) {
    [job.state, job.why] = ['failed', error.message];
  }
}));
clearInterval(drawing);
draw(true);
const wrong = jobs.filter(({ state, wanted }) => state !== wanted);
const reasons = [...new Set(wrong.map(({ why, state }) => why ?? `still ${state}`))];
for (const reason of reasons.slice(0, 5)) console.log(`  ${reason}`);
const answered = jobs.filter(({ took }) => took !== undefined).length;
console.log(`${answered} of ${count} answered in ${seconds().toFixed(1)} s, ${wrong.length} not as they should be`);
agent.destroy();
process.exitCode = wrong.length > 0 ? 1 : 0;
