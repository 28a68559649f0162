// One chain: an anvil process with its state file, kept alive, killed and reset as told.

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import { hex, Rpc } from './rpc.mjs';

const START_MS = 20000;
const POLL_MS = 20;
const STOP_MS = 20000;
// Between blocks of a chain on which nothing happens: its clock must not stand still.
const HEARTBEAT_MS = 10000;

// The platform's package has the program itself; what npm links is a wrapper that needs a script that
// ran at install time.
function program() {
  const name = `@foundry-rs/anvil-${process.platform}-${{ x64: 'amd64' }[process.arch] ?? process.arch}`;
  const require = createRequire(import.meta.url);
  return path.join(path.dirname(require.resolve(`${name}/package.json`)), 'bin', 'anvil');
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class Anvil {
  #child;
  #exited = Promise.resolve();
  #ticker;
  #lastBlock = 0;

  // blocks: { kind: 'instant' } for one with each transaction, { kind: 'interval', seconds } for one each
  // so often, { kind: 'quiet', seconds } for one each so often if there is something to put in.
  constructor({ name, chainId, port, folder, blocks, stateSeconds }) {
    Object.assign(this, { name, chainId, port, folder, blocks, stateSeconds });
    this.stateFile = path.join(folder, `${name}.state.json`);
    this.rpc = new Rpc(port);
  }

  get pid() {
    return this.#child?.pid;
  }

  get running() {
    return this.#child !== undefined;
  }

  #arguments() {
    const list = [
      '--host', '127.0.0.1', '--port', this.port, '--chain-id', this.chainId, '--accounts', 1,
      // What a full block leaves over waits, with instant mining, for the next transaction to come.
      '--hardfork', 'prague', '--gas-limit', 10000000000,
      // Stands in the genesis block: a chain that starts over has another hash, also within a second.
      '--block-base-fee-per-gas', 100000000 + randomInt(1000000),
      // `finalized` is two blocks behind the head, not 64.
      '--slots-in-an-epoch', 1,
      // Old states would go to the disk otherwise, and memory with them.
      '--prune-history', 256,
      // With as many ready as it takes into a block, by default 1,000, its miner may ask its pool for
      // more for ever and mine nothing again.
      '--max-transactions', 1000000,
      '--no-request-size-limit', '--silent', '--state', this.stateFile,
    ];
    if (this.stateSeconds > 0) list.push('--state-interval', this.stateSeconds);
    if (this.blocks.kind === 'interval') list.push('--block-time', this.blocks.seconds);
    if (this.blocks.kind === 'quiet') list.push('--no-mining');
    return list.map(String);
  }

  // Comes back when it answers. Should its state not load, it starts over and says so.
  async start() {
    const loaded = fs.existsSync(this.stateFile);
    this.#spawn();
    try {
      await this.#answers();
    } catch (error) {
      await this.kill();
      if (!loaded) throw error;
      fs.renameSync(this.stateFile, `${this.stateFile}.broken`);
      console.error(`devnet: ${this.name}: its state does not load (kept as ${this.stateFile}.broken);` +
        ' the chain starts over');
      return this.start();
    }
    // After a load only the head has a state; three blocks on, `finalized` has one, too.
    if (loaded) await this.rpc.call('anvil_mine', ['0x3']);
    if (this.blocks.kind === 'quiet') this.#ticker = setInterval(() => this.#tick(), this.blocks.seconds * 1000);
    this.genesis = (await this.rpc.call('eth_getBlockByNumber', ['0x0', false])).hash;
    return undefined;
  }

  #spawn() {
    const log = fs.openSync(path.join(this.folder, `${this.name}.log`), 'a');
    // Whatever happens to us, also a kill -9: then the kernel ends the child, which saves its state.
    const child = spawn('setpriv', ['--pdeathsig', 'TERM', program(), ...this.#arguments()],
      { stdio: ['ignore', log, log], cwd: this.folder });
    fs.closeSync(log);
    this.#child = child;
    this.#exited = new Promise((done) => {
      child.on('error', () => done());
      child.on('exit', () => done());
    }).then(() => {
      if (this.#child === child) this.#child = undefined;
    });
  }

  async #answers() {
    const deadline = Date.now() + START_MS;
    for (;;) {
      if (!this.running) throw new Error(`${this.name}: anvil ended at once; see ${this.folder}/${this.name}.log`);
      try {
        const id = Number(await this.rpc.call('eth_chainId', [], 2000));
        if (id === this.chainId) return;
        throw new Error(`${this.name}: port ${this.port} belongs to a chain with id ${id}`);
      } catch (error) {
        if (Date.now() > deadline || /belongs to/.test(error.message)) throw error;
      }
      await pause(POLL_MS);
    }
  }

  async #tick() {
    try {
      const { pending } = await this.rpc.call('txpool_status', [], 2000);
      const now = Date.now();
      if (Number(pending) === 0 && now - this.#lastBlock < HEARTBEAT_MS) return;
      this.#lastBlock = now;
      await this.rpc.call('evm_mine', [], 10000);
    } catch {
      // Stopped, or busy; the next tick is near.
    }
  }

  signal(name) {
    if (this.#child) process.kill(this.#child.pid, name);
  }

  async #end(signalName) {
    clearInterval(this.#ticker);
    if (!this.#child) return;
    this.signal('SIGCONT'); // a frozen one hears nothing
    this.signal(signalName);
    const late = setTimeout(() => this.signal('SIGKILL'), STOP_MS);
    await this.#exited;
    clearTimeout(late);
    this.#child = undefined;
  }

  // Saves its state first.
  stop() {
    return this.#end('SIGTERM');
  }

  // Loses what came after its last save.
  kill() {
    return this.#end('SIGKILL');
  }

  // The next start begins another chain.
  async forget() {
    await this.kill();
    fs.rmSync(this.stateFile, { force: true });
  }

  async mine(blocks) {
    await this.rpc.call('anvil_mine', [hex(blocks)]);
  }
}
