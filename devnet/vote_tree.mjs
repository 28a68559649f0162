// The commitment tree of the stand-in: 24 levels, of SHA-256, where the chain's has Poseidon.

import { createHash } from 'node:crypto';

const DEPTH = 24;
const join = (left, right) => createHash('sha256').update(left).update(right).digest();

// The siblings of the leaf at the position, its own first, and the root.
export function pathOf(leaves, position) {
  const siblings = [];
  let level = leaves;
  let empty = Buffer.alloc(32);
  for (let depth = 0, index = position; depth < DEPTH; depth += 1, index >>>= 1) {
    siblings.push(level[index ^ 1] ?? empty);
    const above = [];
    for (let i = 0; i < level.length; i += 2) above.push(join(level[i], level[i + 1] ?? empty));
    level = above;
    empty = join(empty, empty);
  }
  return { siblings, root: level[0] };
}

export const rootOf = (leaves) => pathOf(leaves, 0).root;
