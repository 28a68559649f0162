// A share as a wallet would post it to the devnet's round, on the standard output:
//   node devnet/share.mjs [SECONDS]     due in so many seconds (0: at once). Another one each time.

import { randomBytes, randomInt } from 'node:crypto';
import { ROUND } from './vote_chain.mjs';

const wait = Number(process.argv[2] ?? 0);
const random = () => randomBytes(32).toString('base64');

console.log(JSON.stringify({
  shares_hash: random(),
  proposal_id: 1 + randomInt(15),
  vote_decision: randomInt(8),
  enc_share: { c1: random(), c2: random(), share_index: randomInt(16) },
  tree_position: randomInt(1024),
  vote_round_id: ROUND,
  share_comms: Array.from({ length: 16 }, random),
  primary_blind: random(),
  submit_at: wait === 0 ? 0 : Math.floor(Date.now() / 1000) + wait,
}));
