// The devnet's own little HTTP server, on the loopback only: switches of the responder, and the chains.
//   GET  /               the devnet.json
//   GET  /responder      switches, and how far it is
//   POST /responder      a JSON object of switches to turn
//   POST /chains/NAME/ACTION   stop, kill, start, reset, freeze, thaw, mine (a JSON body {"blocks": n})
//   POST /contracts/CHAIN/CONTRACT/METHOD   a JSON array of arguments: what a view says, or the receipt of
//                                           a transaction of the contracts' owner
// It also serves what a KMS node has in its public storage: FHE key and CRS, if this machine has some
// (keys.mjs), and a few bytes of text if not.

import fs from 'node:fs';
import http from 'node:http';
import { CRS_ID, KEY_ID } from './cast.mjs';
import { keyFile } from './keys.mjs';
import { turn } from './switches.mjs';

const MOST = 1 << 20;

function readBody(request) {
  return new Promise((resolve, reject) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
      if (text.length > MOST) reject(new Error('the body is too long'));
    });
    request.on('error', reject);
    request.on('end', () => {
      try {
        resolve(text === '' ? {} : JSON.parse(text));
      } catch {
        reject(new Error('the body is no JSON'));
      }
    });
  });
}

const report = (devnet) => ({ switches: devnet.switches, ...devnet.responder.state });

async function answer(devnet, request) {
  const [first, name, action, method] = request.url.split('/').slice(1);
  if (request.method === 'GET') {
    if (first === '') return devnet.description;
    if (first === 'responder') return report(devnet);
  }
  if (request.method === 'POST') {
    const body = await readBody(request);
    if (first === 'responder') {
      turn(devnet.switches, body);
      return report(devnet);
    }
    if (first === 'chains') return devnet.act(name, action, body);
    if (first === 'contracts') return { result: await devnet.use(name, action, method, body) };
  }
  throw new Error('there is no such thing here');
}

const ACTIVE = { PublicKey: KEY_ID, CRS: CRS_ID };

// True when the path is one of the public storage.
function serveMaterial({ method, url }, response) {
  const [, kind, id] = /^\/PUB-p\d+\/(PublicKey|CRS)\/([0-9a-f]{64})$/.exec(url) ?? [];
  if (method !== 'GET' || !kind) return false;
  const file = ACTIVE[kind] === `0x${id}` ? keyFile(kind) : undefined;
  const bytes = file ? fs.readFileSync(file) : Buffer.from(`devnet ${url}`);
  // Browsers ask from another origin.
  response.writeHead(200, {
    'content-type': 'application/octet-stream', 'content-length': bytes.length,
    'access-control-allow-origin': '*',
  });
  response.end(bytes);
  return true;
}

export function startControl(devnet, port) {
  const server = http.createServer(async (request, response) => {
    if (serveMaterial(request, response)) return;
    let status = 200;
    let body;
    try {
      body = await answer(devnet, request);
    } catch (error) {
      [status, body] = [400, { error: error.message }];
    }
    const text = JSON.stringify(body) + '\n';
    response.writeHead(status, {
      'content-type': 'application/json', 'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
