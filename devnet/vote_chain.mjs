// A stand-in for the vote chain: as much of its REST as a share scheduler speaks, and of its node's RPC.
// One active round, whose id is 32 bytes of 0x11; a commitment tree with 1,024 leaves; a block each second.
// Nothing is verified but what tells a helper that it is wrong: sizes, the round, nullifiers that are spent.
//
//   GET  /shielded-vote/v1/round/ID
//   GET  /shielded-vote/v1/commitment-tree/ID/latest, .../leaves?from_height=A&to_height=B
//   POST /shielded-vote/v1/reveal-share
//   GET  /shielded-vote/v1/tx/HASH
//   GET  /abci_query?path="/store/vote/key"&data=0x0102...     whether a nullifier is in a block
//   GET  /                                                     what came so far

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import { rootOf } from './vote_tree.mjs';

export const ROUND = '11'.repeat(32);
const LEAVES = 1024;
const DAY = 86400;
const LEAST_DAYS = 7;
const DAYS = 14;
const BLOCK_MS = 1000;
const MOST = 1 << 20;
const BASE = '/shielded-vote/v1/';

const seconds = () => Math.floor(Date.now() / 1000);
const sha256 = (bytes) => createHash('sha256').update(bytes).digest();

class Refusal extends Error {
  constructor(status, body) {
    super(body.error ?? body.log);
    this.status = status;
    this.body = body;
  }
}

const bad = (error) => new Refusal(400, { error });
// As the chain's query layer does with every error.
const broken = (error) => new Refusal(500, { error });

function bytesIn(message, name, size) {
  const bytes = typeof message[name] === 'string' ? Buffer.from(message[name], 'base64') : Buffer.alloc(0);
  if (size ? bytes.length !== size : bytes.length === 0) throw bad(`${name} has ${bytes.length} bytes`);
  return bytes;
}

export class VoteChain {
  #file;
  #state = { end: 0, port: 0, height: 1, txs: {} };
  #pool = new Map();
  #server;
  #timer;

  constructor(file) {
    this.#file = file;
    if (fs.existsSync(file)) this.#state = JSON.parse(fs.readFileSync(file, 'utf8'));
    // The last start's, as long as it is far enough ahead: helpers remember the end of a round.
    if (this.#state.end < seconds() + LEAST_DAYS * DAY) this.#state.end = seconds() + DAYS * DAY;
    this.leaves = Array.from({ length: LEAVES }, (_, i) => sha256(`leaf ${i}`));
    this.root = rootOf(this.leaves);
  }

  get port() {
    return this.#state.port;
  }

  async start(port) {
    this.#state.port = port;
    this.#server = http.createServer((request, response) => this.#serve(request, response));
    await new Promise((resolve, reject) => {
      this.#server.on('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
    this.#timer = setInterval(() => this.#mine(), BLOCK_MS);
    this.#save();
  }

  stop() {
    clearInterval(this.#timer);
    this.#server?.close();
    this.#server?.closeAllConnections();
    if (this.#server) this.#save();
  }

  get description() {
    const end = new Date(this.#state.end * 1000).toISOString();
    return { url: `http://127.0.0.1:${this.port}`, round: ROUND, voteEndTime: this.#state.end, ends: end };
  }

  #save() {
    fs.writeFileSync(`${this.#file}.new`, JSON.stringify(this.#state));
    fs.renameSync(`${this.#file}.new`, this.#file);
  }

  #mine() {
    this.#state.height += 1;
    if (this.#pool.size === 0) return;
    for (const [hash, nullifier] of this.#pool)
      this.#state.txs[hash] = { nullifier, height: this.#state.height };
    this.#pool.clear();
    this.#save();
  }

  #spent(nullifier) {
    return Object.values(this.#state.txs).some((tx) => tx.nullifier === nullifier);
  }

  async #serve(request, response) {
    let status = 200;
    let body;
    try {
      const text = await readAll(request);
      [status, body] = this.#answer(request.method, new URL(request.url, 'http://localhost'), text);
    } catch (error) {
      [status, body] = error instanceof Refusal ? [error.status, error.body] : [500, { error: error.message }];
    }
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  #answer(method, { pathname, searchParams }, text) {
    if (pathname === '/') return [200, this.#report()];
    if (pathname === '/abci_query') return [200, this.#query(searchParams.get('data') ?? '')];
    const [what, first, second] = pathname.startsWith(BASE) ? pathname.slice(BASE.length).split('/') : [];
    if (method === 'POST' && what === 'reveal-share') return this.#reveal(text);
    if (what === 'round') return [200, { round: this.#round(first) }];
    if (what === 'commitment-tree') return [200, this.#tree(first, second, searchParams)];
    if (what === 'tx') return this.#tx(first);
    throw new Refusal(404, { error: 'there is no such route' });
  }

  #report() {
    return { ...this.description, height: this.#state.height, leaves: this.leaves.length,
      revealed: Object.keys(this.#state.txs).length, waiting: this.#pool.size };
  }

  #round(id) {
    if (id !== ROUND) throw broken('rpc error: vote round not found');
    return { vote_round_id: Buffer.from(ROUND, 'hex').toString('base64'), vote_end_time: this.#state.end,
      status: seconds() < this.#state.end ? 1 : 2 };
  }

  #tree(id, what, range) {
    this.#round(id);
    if (what === 'latest')
      return { tree: { next_index: this.leaves.length, height: 1, root: this.root.toString('base64') } };
    const from = Number(range.get('from_height'));
    const to = Number(range.get('to_height'));
    if (!(to - from < 1000)) throw bad('more than 1000 heights');
    const leaves = this.leaves.map((leaf) => leaf.toString('base64'));
    return { blocks: from <= 1 && to >= 1 ? [{ height: 1, start_index: 0, leaves }] : [] };
  }

  #reveal(text) {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      throw bad('no JSON');
    }
    const nullifier = bytesIn(message, 'share_nullifier', 32).toString('hex');
    bytesIn(message, 'enc_share', 64);
    bytesIn(message, 'proof');
    if (!(message.vote_comm_tree_anchor_height > 0)) throw bad('vote_comm_tree_anchor_height');
    const hash = sha256(text).toString('hex').toUpperCase();
    const refused = (code, log) => [422, { tx_hash: hash, code, codespace: 'vote', log }];
    if (bytesIn(message, 'vote_round_id', 32).toString('hex') !== ROUND) return refused(3, 'round not found');
    if (seconds() >= this.#state.end) return refused(4, 'round not active');
    if (this.#spent(nullifier) || [...this.#pool.values()].includes(nullifier))
      return refused(2, 'nullifier already spent');
    this.#pool.set(hash, nullifier);
    return [200, { tx_hash: hash, code: 0 }];
  }

  #tx(hash) {
    const tx = this.#state.txs[hash];
    return tx ? [200, { tx_hash: hash, height: tx.height, code: 0 }] : [404, { error: 'tx not found' }];
  }

  #query(data) {
    const [, round, nullifier] = /^0x0102([0-9a-f]{64})([0-9a-f]{64})$/i.exec(data) ?? [];
    const there = round === ROUND && this.#spent(nullifier.toLowerCase());
    return { result: { response: { code: 0, value: there ? 'AQ==' : null } } };
  }
}

function readAll(request) {
  return new Promise((resolve, reject) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
      if (text.length > MOST) reject(bad('the body is too long'));
    });
    request.on('error', reject);
    request.on('end', () => resolve(text));
  });
}
