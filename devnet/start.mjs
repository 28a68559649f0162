// The devnet: a gateway chain and two host chains with the contracts on them, and somebody who answers.
// Runs in the foreground until SIGTERM, SIGINT, or the end of its standard input with --with-stdin.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Anvil } from './anvil.mjs';
import { CONTEXT_ID, EPOCH_ID, GATEWAY_CHAIN, HOST_CHAINS, makeCast, ownerOf, revealed } from './cast.mjs';
import { loadArtifacts } from './compile.mjs';
import { startControl } from './control.mjs';
import { deploy, gatewayLedger, hostLedger, isOutdated } from './deploy.mjs';
import { Responder } from './responder.mjs';
import { defaultSwitches, turn } from './switches.mjs';
import { VoteChain } from './vote_chain.mjs';

const PREDECESSORS_MS = 20000;

const USAGE = `node devnet/start.mjs --state FOLDER [options]

  --state FOLDER       where the chains' states, logs, ports and devnet.json are
  --block-time S       a block each S seconds (fractions work), with or without transactions
  --quiet S            the same, but without transactions only each ten seconds (default: 0.25)
  --instant            a block for each transaction, at once
  --state-interval S   save the chains' states each S seconds, not only at the end (default: 10; 0: never)
  --ports G,H,H,C      of the gateway, the hosts and the control server; default: those of the last start
                       in this folder, or free ones
  --coprocessors N     (3)      --coprocessor-threshold N   (more than half)
  --kms-nodes N        (4)      --public-threshold N, --user-threshold N   (2t+1 of 3t+1)
  --relayers N         accounts that have fee tokens and ether (4)
  --no-approve         the relayers have not approved the payment contract yet
  --no-signature-check the gateway takes user decryptions that nobody signed
  --switches JSON      how coprocessors and KMS nodes behave at first; see devnet/README.md
  --with-stdin         end when the standard input ends

Prints one line 'READY FOLDER/devnet.json'.`;

const OPTIONS = {
  state: { type: 'string' }, 'block-time': { type: 'string' }, quiet: { type: 'string' },
  instant: { type: 'boolean' }, 'state-interval': { type: 'string', default: '10' },
  ports: { type: 'string' }, coprocessors: { type: 'string', default: '3' },
  'coprocessor-threshold': { type: 'string' }, 'kms-nodes': { type: 'string', default: '4' },
  'public-threshold': { type: 'string' }, 'user-threshold': { type: 'string' },
  relayers: { type: 'string', default: '4' }, 'no-approve': { type: 'boolean' },
  'no-signature-check': { type: 'boolean' }, switches: { type: 'string', default: '{}' },
  'with-stdin': { type: 'boolean' }, help: { type: 'boolean', short: 'h' },
};

function wrong(message) {
  console.error(`devnet: ${message}`);
  process.exit(64);
}

function positive(text, name) {
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0) wrong(`--${name} takes a number above 0`);
  return number;
}

function readArguments() {
  let values;
  try {
    ({ values } = parseArgs({ options: OPTIONS }));
  } catch (error) {
    wrong(error.message);
  }
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  if (!values.state) wrong('--state FOLDER is needed; --help says more');
  const whole = (name, otherwise) => Math.floor(positive(values[name] ?? otherwise, name));
  const coprocessors = whole('coprocessors');
  const kmsNodes = whole('kms-nodes');
  const most = 2 * Math.floor((kmsNodes - 1) / 3) + 1;
  let blocks = { kind: 'quiet', seconds: positive(values.quiet ?? 0.25, 'quiet') };
  if (values['block-time'])
    blocks = { kind: 'interval', seconds: positive(values['block-time'], 'block-time') };
  if (values.instant) blocks = { kind: 'instant' };
  const switches = defaultSwitches();
  try {
    turn(switches, JSON.parse(values.switches));
  } catch (error) {
    wrong(`--switches: ${error.message}`);
  }
  return {
    folder: path.resolve(values.state),
    blocks,
    switches,
    stateSeconds: Number(values['state-interval']),
    ports: values.ports?.split(',').map(Number),
    withStdin: values['with-stdin'],
    coprocessors,
    kmsNodes,
    relayers: whole('relayers'),
    coprocessorThreshold: whole('coprocessor-threshold', Math.floor(coprocessors / 2) + 1),
    publicThreshold: whole('public-threshold', most),
    userThreshold: whole('user-threshold', most),
    relayersApprove: !values['no-approve'],
    checkSignatures: !values['no-signature-check'],
  };
}

function canListen(port) {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.on('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

// Below what the kernel gives to outgoing connections, so that none of those can sit on one.
async function freePort(taken) {
  for (;;) {
    const port = 20000 + Math.floor(Math.random() * 10000);
    if (!taken.includes(port) && (await canListen(port))) return port;
  }
}

async function freePorts(count) {
  const found = [];
  while (found.length < count) found.push(await freePort(found));
  return found;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// After a kill -9 the chains of the last start may still be saving their states.
async function awaitPredecessors(folder) {
  const file = path.join(folder, 'devnet.json');
  if (!fs.existsSync(file)) return;
  const { gateway, hosts } = JSON.parse(fs.readFileSync(file, 'utf8'));
  fs.rmSync(file);
  const alive = ({ pid }) => {
    try {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
    } catch {
      return false;
    }
  };
  const deadline = Date.now() + PREDECESSORS_MS;
  while ([gateway, ...hosts].some(alive)) {
    if (Date.now() > deadline) {
      console.error(`devnet: another one runs in ${folder}`);
      process.exit(71);
    }
    await pause(50);
  }
}

// Those of the last start, because what runs beside us has them in its configuration.
async function choosePorts(settings) {
  const file = path.join(settings.folder, 'ports.json');
  const count = HOST_CHAINS.length + 2;
  let ports = settings.ports;
  if (!ports && fs.existsSync(file)) ports = JSON.parse(fs.readFileSync(file, 'utf8'));
  if (ports && ports.length !== count) wrong(`--ports takes ${count} of them`);
  if (!ports) ports = await freePorts(count);
  for (const port of ports)
    if (!(await canListen(port))) {
      console.error(`devnet: port ${port} is taken; --ports takes others`);
      process.exit(71);
    }
  fs.writeFileSync(file, JSON.stringify(ports));
  return ports;
}

class Devnet {
  constructor(settings, ports) {
    this.settings = settings;
    this.ports = ports;
    this.switches = settings.switches;
    [this.controlPort] = ports.slice(-1);
    this.cast = makeCast(settings);
    ({ artifacts: this.artifacts } = loadArtifacts());
    const chain = (name, chainId, index) => new Anvil({
      name, chainId, port: ports[index], folder: settings.folder, blocks: settings.blocks,
      stateSeconds: settings.stateSeconds,
    });
    this.gateway = chain('gateway', GATEWAY_CHAIN, 0);
    this.hosts = HOST_CHAINS.map((id, index) => chain(`host-${id}`, id, index + 1));
    const withPort = { ...settings, storagePort: this.controlPort };
    const ofGateway = gatewayLedger(this.artifacts, this.cast, withPort);
    this.plans = new Map([[this.gateway, ofGateway]]);
    for (const host of this.hosts)
      this.plans.set(host,
        hostLedger(this.artifacts, host.chainId, this.cast, withPort, ofGateway.contracts));
  }

  get chains() {
    return [this.gateway, ...this.hosts];
  }

  async #bringUp(chain) {
    await chain.start();
    const plan = this.plans.get(chain);
    if (await isOutdated(chain.rpc, plan)) {
      console.error(`devnet: ${chain.name}: its contracts are those of an earlier version; it starts over`);
      await chain.forget();
      await chain.start();
    }
    const fresh = await deploy(chain.rpc, plan, this.cast);
    // So that `finalized` sees the contracts.
    if (fresh) await chain.mine(3);
  }

  // That of the last start, if nobody has its port by now. Nobody listens at the other chains' yet.
  async #startVoteChain() {
    const chain = new VoteChain(path.join(this.settings.folder, 'votes.json'));
    const last = chain.port;
    const again = last && !this.ports.includes(last) && (await canListen(last));
    await chain.start(again ? last : await freePort(this.ports));
    this.voteChain = chain;
  }

  // What the relayer seals shares with: as old as the folder, as its database may be.
  #witnessKey() {
    const file = path.join(this.settings.folder, 'witness.key');
    if (!fs.existsSync(file)) fs.writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
    return file;
  }

  async start() {
    await this.#startVoteChain();
    await Promise.all(this.chains.map((chain) => this.#bringUp(chain)));
    this.responder = new Responder({
      rpc: this.gateway.rpc,
      artifacts: this.artifacts,
      contracts: this.plans.get(this.gateway).contracts,
      acls: Object.fromEntries(
        this.hosts.map((host) => [host.chainId, this.plans.get(host).contracts.acl])),
      cast: this.cast,
      switches: this.switches,
      file: path.join(this.settings.folder, 'responder.json'),
    });
    this.control = await startControl(this, this.controlPort);
    this.responder.start();
    this.describe();
  }

  #describeChain(chain) {
    const at = `127.0.0.1:${chain.port}`;
    return {
      name: chain.name, chainId: chain.chainId, http: `http://${at}`, ws: `ws://${at}`,
      port: chain.port, pid: chain.pid, genesis: chain.genesis,
      contracts: this.plans.get(chain).contracts,
      owner: revealed(ownerOf(chain.chainId)),
    };
  }

  describe() {
    const people = (nodes) => nodes.map(({ sender, signer }) => ({
      txSender: sender.address, signer: signer.address,
    }));
    this.description = {
      pid: process.pid,
      control: `http://127.0.0.1:${this.controlPort}`,
      gateway: this.#describeChain(this.gateway),
      hosts: this.hosts.map((host) => this.#describeChain(host)),
      voteChain: {
        ...this.voteChain.description,
        prover: [process.execPath, fileURLToPath(new URL('prover.mjs', import.meta.url))],
        witnessKeyFile: this.#witnessKey(),
      },
      context: { id: CONTEXT_ID, epoch: EPOCH_ID },
      thresholds: {
        coprocessor: this.settings.coprocessorThreshold,
        publicDecryption: this.settings.publicThreshold,
        userDecryption: this.settings.userThreshold,
      },
      relayers: this.cast.relayers.map(revealed),
      users: this.cast.users.map(revealed),
      coprocessors: people(this.cast.coprocessors),
      kmsNodes: people(this.cast.kmsNodes),
    };
    const file = path.join(this.settings.folder, 'devnet.json');
    fs.writeFileSync(`${file}.new`, JSON.stringify(this.description, null, 2) + '\n');
    fs.renameSync(`${file}.new`, file);
    return file;
  }

  #named(name) {
    const chain = this.chains.find((one) => one.name === name);
    if (!chain) throw new Error(`there is no chain '${name}'`);
    return chain;
  }

  // What the control server is asked to do with a chain.
  async act(name, action, { blocks = 1 }) {
    const chain = this.#named(name);
    switch (action) {
      case 'stop': await chain.stop(); break;
      case 'kill': await chain.kill(); break;
      case 'start': if (!chain.running) await this.#bringUp(chain); break;
      case 'reset':
        await chain.forget();
        await this.#bringUp(chain);
        break;
      case 'freeze': chain.signal('SIGSTOP'); break;
      case 'thaw': chain.signal('SIGCONT'); break;
      case 'mine': await chain.mine(blocks); break;
      default: throw new Error(`nothing is known about '${action}'`);
    }
    this.describe();
    return this.#describeChain(chain);
  }

  // One method of a contract: a view is asked, anything else its owner sends.
  async use(name, contract, method, values) {
    const chain = this.#named(name);
    const { ledger, contracts } = this.plans.get(chain);
    if (!contracts[contract]) throw new Error(`there is no contract '${contract}' on ${name}`);
    return ledger.use(chain.rpc, contracts[contract], contract, method, values);
  }

  async stop() {
    this.voteChain?.stop();
    this.responder?.stop();
    this.control?.close();
    await Promise.all(this.chains.map((chain) => chain.stop()));
  }
}

const settings = readArguments();
fs.mkdirSync(settings.folder, { recursive: true });
await awaitPredecessors(settings.folder);
const devnet = new Devnet(settings, await choosePorts(settings));
let ending = false;
async function end(code) {
  if (ending) return;
  ending = true;
  await devnet.stop();
  process.exit(code);
}
process.on('SIGTERM', () => end(0));
process.on('SIGINT', () => end(0));
process.on('SIGHUP', () => end(0));
if (settings.withStdin) process.stdin.on('end', () => end(0)).resume();
try {
  await devnet.start();
  console.log(`READY ${path.join(settings.folder, 'devnet.json')}`);
} catch (error) {
  console.error(`devnet: ${error.message}`);
  await end(70);
}
