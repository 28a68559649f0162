// A stand-in for the prover of shares, as a program: it proves nothing. Its nullifiers are hashes of what
// makes a share that share, so that the same share always has the same one. plugins/prover_process.h has
// what it is asked.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { pathOf } from './vote_tree.mjs';

const PROOF_BYTES = 4000;
const BAD_INPUT = -1;
const bytes = (text) => Buffer.from(text ?? '', 'base64');

function prove(question) {
  const path = bytes(question.merkle_path);
  if (path.length !== 772) return { rc: BAD_INPUT };
  const numbers = Buffer.from([question.share_index, question.proposal_id]);
  const nullifier = createHash('sha256')
    .update(bytes(question.round_id)).update(path.subarray(0, 4)).update(numbers)
    .update(bytes(question.enc_c1)).update(bytes(question.enc_c2)).digest();
  return {
    proof: Buffer.alloc(PROOF_BYTES, 'proves nothing ').toString('base64'),
    share_nullifier: nullifier.toString('base64'),
  };
}

function path(question) {
  const all = bytes(question.leaves);
  const leaves = Array.from({ length: all.length / 32 }, (_, i) => all.subarray(32 * i, 32 * i + 32));
  if (!(question.position < leaves.length)) return { rc: BAD_INPUT };
  const { siblings, root } = pathOf(leaves, question.position);
  const position = Buffer.alloc(4);
  position.writeUInt32LE(question.position);
  return {
    merkle_path: Buffer.concat([position, ...siblings]).toString('base64'),
    root: root.toString('base64'),
  };
}

const question = JSON.parse(fs.readFileSync(0, 'utf8'));
console.log(JSON.stringify(question.op === 'path' ? path(question) : prove(question)));
