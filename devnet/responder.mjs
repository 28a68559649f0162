// Plays the coprocessors and the KMS nodes: follows the gateway's chain and answers every request on it.
// What is on the chain decides, not what was done before: after a cut, a restart or a reorganisation it
// goes back to where the chain is still the same, and answers whatever has no answer there.

import fs from 'node:fs';
import { ethers } from 'ethers';
import { Answers } from './answers.mjs';
import { GATEWAY_CHAIN } from './cast.mjs';
import { Requests } from './requests.mjs';
import { hex } from './rpc.mjs';

const POLL_MS = 25;
const AFTER_ERROR_MS = 200;
const LOG_RANGE = 2000;
const TRAIL = 512;
const BACK = 64;
const AT_ONCE = 200;
// A transaction that is not mined for so long may be lost.
const LOST_MS = 5000;
const SAVE_MS = 1000;

// Reproducible, and good enough to shuffle with.
function randomFrom(seed) {
  let state = (seed * 2654435761 + 1) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const gasFor = (data) => 400_000 + data.length * 40;

export class Responder {
  #trail = []; // { number, hash } of blocks that were read, oldest first
  #careful = true; // ask the chain what was answered already
  #shaken = false; // after an error: look again at the last blocks
  #jobs = []; // waiting: { request, node, due }
  #sent = []; // on their way: { ...job, nonce, at }
  #nonces = new Map();
  #timer;
  #stopped = true;
  #seed;
  #random;
  #saved = '';
  #lastSave = 0;
  #lastProgress = 0;
  counts = { requests: 0, answers: 0, refused: 0, errors: 0 };

  constructor({ rpc, artifacts, contracts, acls, cast, switches, file }) {
    Object.assign(this, { rpc, contracts, cast, switches, file });
    this.requests = new Requests(artifacts, contracts);
    this.answers =
      new Answers({ artifacts, contracts, acls, nodes: cast.kmsNodes.length, switches });
    this.responded = new ethers.Interface(artifacts.Decryption.abi).getFunction('hasResponded');
    this.coder = new ethers.Interface([this.responded]);
  }

  start() {
    try {
      this.#trail = JSON.parse(fs.readFileSync(this.file, 'utf8'));
    } catch {
      this.#trail = []; // none, or cut short: from the first block then
    }
    this.#stopped = false;
    this.#careful = true;
    this.#loop();
  }

  stop() {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#save(true);
  }

  get state() {
    return {
      ...this.counts,
      waiting: this.#jobs.length,
      onTheirWay: this.#sent.length,
      block: this.#trail.at(-1)?.number ?? -1,
    };
  }

  async #loop() {
    let wait = POLL_MS;
    try {
      await this.#follow();
      await this.#confirm();
      if (await this.#send()) wait = 0;
      this.#save(false);
    } catch {
      // The chain is away, or was cut off in the middle: what was sent may be lost, and blocks with it.
      this.counts.errors += 1;
      this.#shaken = true;
      wait = AFTER_ERROR_MS;
    }
    if (!this.#stopped) this.#timer = setTimeout(() => this.#loop(), wait);
  }

  async #follow() {
    const top = this.#trail.at(-1);
    const calls = [['eth_getBlockByNumber', ['latest', false]]];
    if (top) calls.push(['eth_getBlockByNumber', [hex(top.number), false]]);
    const [latest, same] = await this.rpc.batch(calls);
    if (latest.error) throw new Error(latest.error.message);
    if (this.#shaken || (top && same.result?.hash !== top.hash)) return this.#goBack();
    const head = { number: Number(latest.result.number), hash: latest.result.hash };
    const from = (top?.number ?? -1) + 1;
    if (head.number < from) return undefined;
    const to = Math.min(head.number, from + LOG_RANGE - 1);
    const found = await this.requests.between(this.rpc, from, to);
    const end = to === head.number ? head : await this.#block(to);
    this.#plan(this.#careful ? await this.#unanswered(found) : this.#everyNode(found));
    this.counts.requests += found.length;
    this.#trail.push(end);
    if (this.#trail.length > TRAIL) this.#trail.splice(0, TRAIL / 2);
    if (to === head.number) this.#careful = false;
    return undefined;
  }

  async #block(number) {
    const block = await this.rpc.call('eth_getBlockByNumber', [hex(number), false]);
    return { number, hash: block.hash };
  }

  // To the last block that is still there, and somewhat before: answers may have been on lost ones.
  // What is older than that stays to be answered.
  async #goBack() {
    const calls = this.#trail.map(({ number }) => ['eth_getBlockByNumber', [hex(number), false]]);
    const blocks = await this.rpc.batch(calls);
    const kept = this.#trail.filter(({ hash }, index) => blocks[index].result?.hash === hash);
    this.#trail = kept.slice(0, Math.max(0, kept.length - BACK));
    const floor = this.#trail.at(-1)?.number ?? -1;
    this.#jobs = [...this.#sent, ...this.#jobs].filter(({ request }) => request.block <= floor);
    this.#sent = [];
    this.#nonces.clear();
    this.#careful = true;
    this.#shaken = false;
  }

  #nodesFor(kind) {
    return kind === 'input_proof' ? this.cast.coprocessors : this.cast.kmsNodes;
  }

  #everyNode(requests) {
    return requests.flatMap((request) =>
      this.#nodesFor(request.kind).map((node) => ({ request, node })));
  }

  async #unanswered(requests) {
    const jobs = this.#everyNode(requests);
    const waiting = new Set(this.#jobs.map(({ request, node }) => `${request.id} ${node.name}`));
    const calls = jobs.map(({ request, node }) => ['eth_call', [{
      to: request.kind === 'input_proof' ? this.contracts.inputVerification : this.contracts.decryption,
      input: this.coder.encodeFunctionData(this.responded, [request.id, node.sender.address]),
    }, 'latest']]);
    const answers = await this.rpc.batch(calls);
    return jobs.filter(({ request, node }, index) => {
      if (answers[index].error) throw new Error(answers[index].error.message);
      return BigInt(answers[index].result) === 0n && !waiting.has(`${request.id} ${node.name}`);
    });
  }

  #plan(jobs) {
    const { delayMs, reorderMs, seed, duplicates } = this.switches;
    if (seed !== this.#seed) [this.#seed, this.#random] = [seed, randomFrom(seed)];
    const now = Date.now();
    for (const job of jobs)
      for (let again = 0; again <= duplicates; ++again)
        this.#jobs.push({
          ...job, again, due: now + delayMs + Math.floor(this.#random() * (reorderMs + 1)),
        });
    if (reorderMs > 0) this.#jobs.sort((a, b) => a.due - b.due);
  }

  #silent({ request, node }) {
    const silence = this.switches.silence[request.kind];
    const nodes = this.#nodesFor(request.kind).length;
    return silence === 'all' || node.index >= nodes - silence;
  }

  #takeDue() {
    const now = Date.now();
    const due = [];
    const rest = [];
    for (const job of this.#jobs)
      (due.length < AT_ONCE && job.due <= now && !this.#silent(job) ? due : rest).push(job);
    this.#jobs = rest;
    return due;
  }

  #requeue(jobs) {
    this.#jobs.unshift(...jobs);
  }

  async #learnNonces(jobs) {
    const unknown = [...new Set(jobs.map(({ node }) => node))].filter(
      (node) => !this.#nonces.has(node.name));
    const counts = await this.rpc.batch(unknown.map(({ sender }) => [
      'eth_getTransactionCount', [sender.address, 'pending'],
    ]));
    counts.forEach(({ result }, index) => this.#nonces.set(unknown[index].name, Number(result)));
  }

  // True when there is more to send at once.
  async #send() {
    const due = this.#takeDue();
    if (due.length === 0) return false;
    let refused = false;
    try {
      await this.#learnNonces(due);
      const raw = await Promise.all(due.map((job) => this.#signed(job)));
      const results = await this.rpc.batch(raw.map((bytes) => ['eth_sendRawTransaction', [bytes]]));
      const failed = [];
      results.forEach(({ error, result }, index) => {
        due[index].hash = result;
        (error ? failed : this.#sent).push(due[index]);
      });
      refused = failed.length > 0;
      if (refused) this.#startOver(failed);
    } catch (error) {
      this.#requeue(due);
      throw error;
    }
    return due.length === AT_ONCE && !refused;
  }

  async #signed(job) {
    job.nonce = this.#nonces.get(job.node.name);
    job.at = Date.now();
    this.#nonces.set(job.node.name, job.nonce + 1);
    const answer = this.answers.to(job.request, job.node);
    return job.node.sender.signTransaction({
      ...answer,
      type: 2,
      chainId: GATEWAY_CHAIN,
      nonce: job.nonce,
      gasLimit: gasFor(answer.data),
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 1n,
      value: 0n,
    });
  }

  // A nonce that was wrong makes the later ones of that node wrong, too.
  #startOver(jobs) {
    this.counts.refused += jobs.length;
    for (const { node } of jobs) this.#nonces.delete(node.name);
    this.#requeue(jobs);
  }

  async #confirm() {
    if (this.#sent.length === 0) return;
    const nodes = [...new Set(this.#sent.map(({ node }) => node))];
    const counts = await this.rpc.batch(nodes.map(({ sender }) => [
      'eth_getTransactionCount', [sender.address, 'latest'],
    ]));
    const mined = new Map(nodes.map((node, index) => [node, Number(counts[index].result)]));
    const before = this.#sent.length;
    this.#sent = this.#sent.filter(({ node, nonce }) => nonce >= mined.get(node));
    this.counts.answers += before - this.#sent.length;
    const now = Date.now();
    if (before !== this.#sent.length) this.#lastProgress = now;
    const late = this.#sent.filter(({ at }) => now - Math.max(at, this.#lastProgress) > LOST_MS);
    if (late.length === 0) return;
    const lost = await this.#unknown(late);
    if (lost.length === 0) return;
    this.#sent = this.#sent.filter((job) => !lost.includes(job));
    this.#startOver(lost);
  }

  // Those that the node does not have. On a busy machine it may just be slow: whoever sent all of it
  // again would make it slower still, and it would never be done.
  async #unknown(jobs) {
    const known = await this.rpc.batch(jobs.map(({ hash }) => ['eth_getTransactionByHash', [hash]]));
    const now = Date.now();
    return jobs.filter((job, index) => {
      if (known[index].result) job.at = now;
      return known[index].result === null;
    });
  }

  // Only blocks before the oldest request that is still to be answered; the next start goes on there.
  #save(now) {
    if (!now && Date.now() - this.#lastSave < SAVE_MS) return;
    this.#lastSave = Date.now();
    let oldest = Infinity;
    for (const { request } of [...this.#jobs, ...this.#sent]) oldest = Math.min(oldest, request.block);
    const text = JSON.stringify(this.#trail.filter(({ number }) => number < oldest).slice(-TRAIL / 4));
    if (text === this.#saved) return;
    fs.writeFileSync(`${this.file}.new`, text);
    fs.renameSync(`${this.file}.new`, this.file);
    this.#saved = text;
  }
}
