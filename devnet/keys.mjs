// The FHE key and the CRS with which clients encrypt: made once on a machine, in a minute or two, and
// kept outside of the work tree. `node keys.mjs` makes what is missing and prints the folder;
// `node keys.mjs --look` only looks, and ends with 1 when there are none.

import { createRequire } from 'node:module';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { isInvoked } from './invoked.mjs';

const require = createRequire(import.meta.url);

// As clients have it in keyurl: how many bits one proof may hold.
const CRS_BITS = 2048;
const SIZE_LIMIT = 1n << 30n;
const FILES = { PublicKey: 'public-key.bin', CRS: `crs-${CRS_BITS}.bin` };

// Beside Drogon's build; what a later version writes, an earlier one does not read.
function places() {
  const version = JSON.parse(fs.readFileSync(
    path.join(path.dirname(fileURLToPath(import.meta.url)), 'package.json'), 'utf8'))
    .dependencies['node-tfhe'];
  const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
  const bases = process.env.DROGON_RELAYER_DEPS
    ? [process.env.DROGON_RELAYER_DEPS]
    : ['/opt/drogon-relayer-deps', path.join(cache, 'drogon-relayer-deps')];
  return bases.map((base) => ({ base, folder: path.join(base, 'fhe-keys', `node-tfhe-${version}`) }));
}

const complete = (folder) =>
  Object.values(FILES).every((file) => fs.existsSync(path.join(folder, file)));

export function keysFolder() {
  return places().map(({ folder }) => folder).find(complete);
}

// The file for 'PublicKey' or 'CRS'; undefined when there are no keys on this machine.
export function keyFile(kind) {
  const folder = keysFolder();
  return folder && path.join(folder, FILES[kind]);
}

function canWrite(base) {
  try {
    fs.accessSync(base, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function save(folder, file, bytes) {
  const unfinished = path.join(folder, `${file}.${process.pid}`);
  fs.writeFileSync(unfinished, bytes);
  fs.renameSync(unfinished, path.join(folder, file));
}

// The parameters are those of relayer-sdk 0.4.
function make() {
  const tfhe = require('node-tfhe');
  const { ShortintParametersName: blocks, ShortintCompactPublicKeyEncryptionParametersName: keys } = tfhe;
  const config = tfhe.TfheConfigBuilder.default()
    .use_custom_parameters(
      new tfhe.ShortintParameters(blocks.PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128))
    .use_dedicated_compact_public_key_parameters(
      new tfhe.ShortintCompactPublicKeyEncryptionParameters(
        keys.V1_0_PARAM_PKE_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128))
    .build();
  // Nobody keeps the client key: nothing is ever decrypted with it here.
  const publicKey = tfhe.TfheCompactPublicKey.new(tfhe.TfheClientKey.generate(config));
  const crs = tfhe.CompactPkeCrs.from_config(config, CRS_BITS);
  const all = places();
  const { folder } = all.find(({ base }) => canWrite(base)) ?? all.at(-1);
  fs.mkdirSync(folder, { recursive: true });
  save(folder, FILES.PublicKey, publicKey.safe_serialize(SIZE_LIMIT));
  save(folder, FILES.CRS, crs.safe_serialize(SIZE_LIMIT));
}

if (isInvoked(import.meta.url)) {
  if (!keysFolder() && process.argv[2] !== '--look') {
    console.error('devnet: making an FHE key and its CRS, once on this machine; a minute or two');
    make();
  }
  const folder = keysFolder();
  if (folder) console.log(folder);
  process.exitCode = folder ? 0 : 1;
}
