// What coprocessors read from the bytes of an input proof, and how they call the values in it.
//
// Bytes are made by tfhe (a safely serialized `ProvenCompactCiphertextList`), by another version of it in
// each client, and no version reads what a later one wrote. What we need stands at the end of the bytes
// and is the same in all of them: a list of what each value is, then a few bytes that are all zero.

import { ethers } from 'ethers';

const HEADER = Buffer.from('high_level_api::ProvenCompactCiphertextList');
const MOST_VALUES = 256;
// Behind the list: nothing is added to the ciphertexts, and their tag is empty.
const AFTER_LIST = 12;

const KIND_VERSION = 1;
const KINDS = { UNSIGNED: 0, BOOLEAN: 2 };
// A block holds two bits of a number.
const TYPE_OF_BLOCKS = { 4: 2, 8: 3, 16: 4, 32: 5, 64: 6, 80: 7, 128: 8 };
const BOOLEAN_TYPE = 0;

// The type of the value described at `at`, and where its description ends.
function readKind(bytes, at) {
  if (at + 8 > bytes.length || bytes.readUInt32LE(at) !== KIND_VERSION) return undefined;
  const kind = bytes.readUInt32LE(at + 4);
  if (kind === KINDS.BOOLEAN) return { type: BOOLEAN_TYPE, end: at + 8 };
  if (kind !== KINDS.UNSIGNED || at + 16 > bytes.length) return undefined;
  const type = TYPE_OF_BLOCKS[bytes.readBigUInt64LE(at + 8)];
  return type === undefined ? undefined : { type, end: at + 16 };
}

function readKinds(bytes, start, count, end) {
  const types = [];
  let at = start;
  for (let index = 0; index < count; ++index) {
    const kind = readKind(bytes, at);
    if (!kind) return undefined;
    types.push(kind.type);
    at = kind.end;
  }
  return at === end ? types : undefined;
}

// The types of the values in a proof, in order; undefined for bytes that are not a client's.
export function typesIn(ciphertext) {
  if (Buffer.from(ciphertext.slice(2, 402), 'hex').indexOf(HEADER) < 0) return undefined;
  const bytes = Buffer.from(ciphertext.slice(2), 'hex');
  const end = bytes.length - AFTER_LIST;
  for (let count = 1; count <= MOST_VALUES; ++count) {
    for (let size = 8 * count; size <= 16 * count; size += 8) {
      const start = end - size;
      if (start < 8) break;
      if (bytes.readBigUInt64LE(start - 8) !== BigInt(count)) continue;
      const types = readKinds(bytes, start, count, end);
      if (types) return types;
    }
  }
  return undefined;
}

const digits = (number, bytes) => number.toString(16).padStart(2 * bytes, '0');
const text = (value) => ethers.hexlify(ethers.toUtf8Bytes(value));

// 21 bytes of hash, the index, eight of chain id, the type, the version.
export function handleOf(hash, index, chainId, type) {
  return hash.slice(0, 2 + 42) + digits(index, 1) + digits(BigInt(chainId), 8) + digits(type, 1) + '00';
}

// As clients compute them by themselves, and compare.
export function inputHandles(ciphertext, types, acl, chainId) {
  const blob = ethers.keccak256(ethers.concat([text('ZK-w_rct'), ciphertext]));
  return types.map((type, index) => {
    const hash = ethers.keccak256(ethers.concat([
      text('ZK-w_hdl'), blob, '0x' + digits(index, 1), acl, '0x' + digits(BigInt(chainId), 32),
    ]));
    return handleOf(hash, index, chainId, type);
  });
}
