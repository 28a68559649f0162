// Compiles contracts/ with the pinned solc, once for each content: what comes out is kept by its hash in
// build/devnet of the work tree (or where DEVNET_CACHE says). `node compile.mjs` prints the file.

import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { isInvoked } from './invoked.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const sourceFolder = path.join(here, 'contracts');

function readSources() {
  const sources = {};
  for (const name of fs.readdirSync(sourceFolder).sort())
    sources[name] = { content: fs.readFileSync(path.join(sourceFolder, name), 'utf8') };
  return sources;
}

function inputFor(sources) {
  return JSON.stringify({
    language: 'Solidity',
    sources,
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 800 },
      // No hash of the metadata in the code: the same contract gives the same bytes on every machine.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  });
}

function compile(input) {
  // Loaded only when there is something to compile: it takes most of a second.
  const solc = createRequire(import.meta.url)('solc');
  const output = JSON.parse(solc.compile(input));
  const problems = (output.errors ?? []).filter((problem) => problem.severity === 'error');
  if (problems.length > 0)
    throw new Error(problems.map((problem) => problem.formattedMessage).join('\n'));
  const artifacts = {};
  for (const file of Object.values(output.contracts))
    for (const [name, contract] of Object.entries(file))
      artifacts[name] = { abi: contract.abi, bytecode: '0x' + contract.evm.bytecode.object };
  return artifacts;
}

// The artifacts by contract name, and the file that they are in.
export function loadArtifacts() {
  const input = inputFor(readSources());
  const lock = fs.readFileSync(path.join(here, 'package-lock.json'));
  const hash = createHash('sha256').update(input).update(lock).digest('hex').slice(0, 32);
  const folder = process.env.DEVNET_CACHE ?? path.join(here, '..', 'build', 'devnet');
  const file = path.join(folder, `contracts-${hash}.json`);
  if (fs.existsSync(file)) return { file, artifacts: JSON.parse(fs.readFileSync(file, 'utf8')) };
  const artifacts = compile(input);
  fs.mkdirSync(folder, { recursive: true });
  // Several tests may come here at once: the file is whole or not there.
  const unfinished = `${file}.${process.pid}`;
  fs.writeFileSync(unfinished, JSON.stringify(artifacts));
  fs.renameSync(unfinished, file);
  return { file, artifacts };
}

if (isInvoked(import.meta.url)) console.log(loadArtifacts().file);
