// The share of one KMS node in a user decryption, as real clients read it: the value cut into blocks,
// each shared among the nodes (Shamir, over a Galois ring), signed by the node, encrypted to the user.
// The layout is that of tkms 0.12 and 0.13, learned from what these accept; nothing else is taken from
// there but the encryption to the user's key.

import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { ethers } from 'ethers';

// ---------------------------------------------------------------- bytes

const u32 = (number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
};
const u64 = (number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(number));
  return bytes;
};
const u128 = (number) => Buffer.concat([u64(number & MASK64), u64(number >> 64n)]);
const list = (bytes) => Buffer.concat([u64(bytes.length), bytes]);
const bytesOf = (hex) => Buffer.from(hex.slice(2), 'hex');

const MASK64 = (1n << 64n) - 1n;
const MASK128 = (1n << 128n) - 1n;

// ---------------------------------------------------------------- sharing

// Elements of the ring of polynomials over integers modulo 2^128, modulo X^4 + X + 1.
const DEGREE = 4;

const add = (a, b) => a.map((coefficient, index) => (coefficient + b[index]) & MASK128);

function multiply(a, b) {
  const product = new Array(2 * DEGREE - 1).fill(0n);
  for (let i = 0; i < DEGREE; ++i)
    for (let j = 0; j < DEGREE; ++j) product[i + j] += a[i] * b[j];
  for (let power = 2 * DEGREE - 2; power >= DEGREE; --power) {
    product[power - DEGREE] -= product[power];
    product[power - DEGREE + 1] -= product[power];
  }
  return product.slice(0, DEGREE).map((coefficient) => coefficient & MASK128);
}

// Where a party's share is taken: the bits of its number as coefficients.
const pointOf = (party) => Array.from({ length: DEGREE }, (_, bit) => BigInt((party >> bit) & 1));
// So that no two parties stand at the same point.
const MOST_PARTIES = 2 ** DEGREE - 1;
// With fewer nothing is shared: clients expect the value itself.
const FEWEST_PARTIES = 4;

// The same for all nodes that answer a request. Real nodes share without knowing the value; ours, whose
// keys everybody knows, need no secret either.
function maskOf(seed, handle, block, power) {
  const bytes = createHash('shake256', { outputLength: 16 * DEGREE })
    .update(`${seed} ${handle} ${block} ${power}`).digest();
  return Array.from({ length: DEGREE },
    (_, index) => BigInt('0x' + bytes.subarray(16 * index, 16 * index + 16).toString('hex')));
}

const BITS = { 0: 2, 2: 8, 3: 16, 4: 32, 5: 64, 6: 128, 7: 160, 8: 256 };
const BLOCK_BITS = 2n;
// Above a block there are two bits of carry and one of padding.
const BLOCK_SHIFT = 128n - 1n - 2n - BLOCK_BITS;

// Four blocks of two bits go into one element, from the lowest on.
function elementsOf(value, type) {
  const elements = [];
  for (let at = 0n; at < BITS[type]; at += BLOCK_BITS * BigInt(DEGREE))
    elements.push(Array.from({ length: DEGREE }, (_, index) =>
      ((value >> (at + BLOCK_BITS * BigInt(index))) & 3n) << BLOCK_SHIFT));
  return elements;
}

function partOf({ seed, handle, value, type, party, degree }) {
  const point = pointOf(party);
  const parts = elementsOf(value, type).map((element, block) => {
    let sum = new Array(DEGREE).fill(0n);
    for (let power = degree; power > 0; --power)
      sum = multiply(add(sum, maskOf(seed, handle, block, power)), point);
    return Buffer.concat(add(sum, element).map(u128));
  });
  return Buffer.concat([u64(parts.length), ...parts]);
}

// ---------------------------------------------------------------- signing and encrypting

// Loaded when there is something to encrypt; node-tkms is a client's library that can also encrypt.
let library;
const tkms = () => (library ??= createRequire(import.meta.url)('node-tkms'));

const KEY_NAME = Buffer.from('UnifiedPublicEncKey');
const INNER_KEY_BYTES = 808;

// The key of a user, or undefined for bytes that are none (most tests have no better).
export function userKey(publicKey) {
  const bytes = bytesOf(publicKey);
  if (bytes.length <= INNER_KEY_BYTES || bytes.indexOf(KEY_NAME) < 0) return undefined;
  try {
    return { key: tkms().u8vec_to_ml_kem_pke_pk(bytes), inner: bytes.subarray(-INNER_KEY_BYTES) };
  } catch {
    return undefined;
  }
}

const digestOf = (bytes) =>
  createHash('shake256', { outputLength: 32 }).update('SIGNCRYP').update(bytes).digest();

const verificationKey = (signer) => list(bytesOf(signer.signingKey.compressedPublicKey));

// What only the user reads: the part, bound to the request, and who signed it.
function sealed({ part, type, link, user, userAddress, signer }) {
  const payload = Buffer.concat([list(part), u32(type), list(link)]);
  const signed = createHash('sha256').update(Buffer.concat([
    Buffer.from('USER_DEC'), payload, bytesOf(userAddress), digestOf(user.inner),
  ])).digest();
  const { r, s } = signer.signingKey.sign(signed);
  const message = Buffer.concat([payload, bytesOf(r), bytesOf(s), digestOf(verificationKey(signer))]);
  return Buffer.from(tkms().ml_kem_pke_encrypt(message, user.key));
}

const LINKER = {
  UserDecryptionLinker: [
    { name: 'publicKey', type: 'bytes' },
    { name: 'handles', type: 'bytes32[]' },
    { name: 'userAddress', type: 'address' },
  ],
};

export const typeOf = (handle) => Number.parseInt(handle.slice(62, 64), 16);

export const canShare = (handles, nodes) =>
  nodes >= FEWEST_PARTIES && nodes <= MOST_PARTIES &&
  handles.every((handle) => typeOf(handle) in BITS);

// The bytes of one node's share. `values` are those of the handles, in order.
export function shareFor({ node, nodes, handles, values, publicKey, userAddress, user, domain }) {
  const degree = Math.floor((nodes - 1) / 3);
  const link = bytesOf(
    ethers.TypedDataEncoder.hash(domain, LINKER, { publicKey, handles, userAddress }));
  const seed = ethers.keccak256(publicKey);
  const party = node.index + 1;
  const ciphertexts = handles.map((handle, index) => {
    const type = typeOf(handle);
    const part = partOf({ seed, handle, value: values[index], type, party, degree });
    const cipher = sealed({ part, type, link, user, userAddress, signer: node.signer });
    return Buffer.concat([u32(type), list(cipher), list(bytesOf(handle)), u32(1)]);
  });
  return '0x' + Buffer.concat([
    list(verificationKey(node.signer)), list(link),
    u64(ciphertexts.length), ...ciphertexts, u32(party), u32(degree),
  ]).toString('hex');
}
