// keccak, hex, 256-bit numbers, RLP, addresses, signatures.
import {
  SigningKey, computeAddress, decodeRlp, encodeRlp, getAddress, getBytes, hexlify, isHexString,
  keccak256, toBeHex, toQuantity,
} from "ethers";
import { createPublicKey } from "node:crypto";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function valueOf(compute) {
  try {
    return compute();
  } catch {
    return "-";
  }
}

function mixCase(draw, text) {
  return text.replace(/[a-f]/g, (letter) => (draw.chance(50) ? letter.toUpperCase() : letter));
}

export function keccak(draw, count) {
  const sizes = [0, 1, 31, 32, 33, 134, 135, 136, 137, 271, 272, 273, 1000, 2000];
  const edges = sizes.map((size) => hexlify(draw.pool.slice(0, size)));
  edges.push("0x" + "00".repeat(10000));
  const random = Array.from({ length: count }, () => draw.bytes(400));
  return [...edges, ...random].map((data) => [data, keccak256(data)]);
}

function spoil(draw, text) {
  const at = draw.below(text.length + 1);
  const wrong = draw.one(["g", "x", " ", "-", "/", ":", "@", "G", "`", "\u00e4", "0x"]);
  return draw.one([
    text.slice(0, at) + wrong + text.slice(at),
    text.slice(0, at) + text.slice(at + 1),
    text.slice(0, -1),
    text.slice(2),
    "0X" + text.slice(2),
    text + " ",
  ]);
}

export function hex(draw, count) {
  const texts = ["", "0", "0x", "x", "0x0", "0X00", "0x00", "00", "0xgg", " 0x00", "0x0x00", "0xFf"];
  for (let i = 0; i < count; ++i) {
    const text = mixCase(draw, draw.bytes(60));
    texts.push(text);
    if (i % 2 === 0) texts.push(spoil(draw, text));
  }
  return texts.map((text) => [text, isHexString(text, true) ? hexlify(getBytes(text)) : "-"]);
}

export function uint256(draw, count) {
  const numbers = [0n, 1n, 9n, 10n, 15n, 16n, 255n, 256n, 1n << 63n, (1n << 64n) - 1n, 1n << 64n,
    1n << 255n, (1n << 256n) - 1n, 1n << 256n, 1n << 300n];
  for (let i = 0; i < count; ++i) numbers.push(draw.number(draw.chance(4) ? 320 : 256));
  return numbers.map((number) => {
    const zeros = draw.chance(30) ? "0".repeat(draw.below(70)) : "";
    const text = mixCase(draw, "0x" + zeros + number.toString(16));
    const fits = number < 1n << 256n;
    return [text, fits ? toQuantity(number) : "-", fits ? toBeHex(number, 32) : "-",
      fits ? number.toString() : "-"];
  });
}

function structure(draw, depth) {
  if (depth === 0 || draw.chance(60)) return draw.bytes(70);
  return draw.many(5, () => structure(draw, depth - 1));
}

function tamper(draw, bytes) {
  const data = [...getBytes(bytes)];
  const at = draw.below(data.length);
  switch (draw.below(4)) {
    case 0: data[at] = draw.below(256); break;
    case 1: data.splice(at, 1); break;
    case 2: data.splice(at, 0, draw.one([0, 1, 0x7f, 0x80, 0x81, 0xb7, 0xb8, 0xbf, 0xc0, 0xf8])); break;
    default: data[0] = draw.below(256);
  }
  return hexlify(new Uint8Array(data));
}

// What others make of tampered bytes is more than we take (they let needless lengths pass), so where
// we take them both have to see the same in them.
export function rlp(draw, count) {
  const long = "0x" + "ab".repeat(70000);
  const edges = ["0x", "0x00", "0x7f", "0x80", "0xff", "0x" + "11".repeat(55), "0x" + "11".repeat(56),
    "0x" + "22".repeat(255), "0x" + "22".repeat(256), long, [], [[]], [[], [[]]], [long],
    Array(55).fill("0x01"), Array(56).fill("0x01"), Array(300).fill("0x"), [[[[[["0x05"]]]]]]];
  const rows = edges.map((value) => ["made", JSON.stringify(value), encodeRlp(value)]);
  for (let i = 0; i < count; ++i) {
    const value = structure(draw, 4);
    const encoded = encodeRlp(value);
    rows.push(["made", JSON.stringify(value), encoded]);
    const tampered = tamper(draw, encoded);
    rows.push(["tampered", valueOf(() => JSON.stringify(decodeRlp(tampered))), tampered]);
  }
  return rows;
}

export function addresses(draw, count) {
  const rows = [];
  const add = (text) => rows.push([text, valueOf(() => getAddress(text))]);
  for (const digit of ["0", "f", "F", "a"]) add("0x" + digit.repeat(40));
  for (let i = 0; i < count; ++i) {
    const address = getAddress(draw.fresh(20));
    const lower = address.toLowerCase();
    add(draw.one([
      () => address,
      () => lower,
      () => "0x" + address.slice(2).toUpperCase(),
      () => mixCase(draw, lower),
      () => address.slice(0, 41),
      () => lower.slice(0, 20) + "g" + lower.slice(21),
    ])());
  }
  return rows;
}

function integerInDer(hexWord) {
  let digits = hexWord.slice(2).replace(/^(00)+(?=..)/, "");
  if (parseInt(digits.slice(0, 2), 16) >= 0x80) digits = "00" + digits;
  return "02" + (digits.length / 2).toString(16).padStart(2, "0") + digits;
}

function signatureInDer(r, s) {
  const body = integerInDer(r) + integerInDer(s);
  return "0x30" + (body.length / 2).toString(16).padStart(2, "0") + body;
}

function base64url(text) {
  return Buffer.from(text.slice(2), "hex").toString("base64url");
}

// As a key management service writes it.
function publicKeyInDer(publicKey) {
  const x = base64url("0x" + publicKey.slice(4, 68));
  const y = base64url("0x" + publicKey.slice(68));
  const key = createPublicKey({ key: { kty: "EC", crv: "secp256k1", x, y }, format: "jwk" });
  return hexlify(key.export({ type: "spki", format: "der" }));
}

export function signatures(draw, count) {
  const keys = ["0x" + "00".repeat(31) + "01", toBeHex(ORDER - 1n, 32), draw.fresh(32)];
  while (keys.length < 64) keys.push(draw.fresh(32));
  const digests = ["0x" + "00".repeat(32), "0x" + "ff".repeat(32), toBeHex(ORDER, 32)];
  const rows = [];
  for (let i = 0; i < count; ++i) {
    const key = new SigningKey(keys[i % keys.length]);
    const digest = i < 64 * digests.length ? digests[Math.floor(i / 64)] : keccak256(toBeHex(i));
    const made = key.sign(digest);
    // Services do not keep to the lower half.
    const s = draw.chance(50) ? made.s : toBeHex(ORDER - BigInt(made.s), 32);
    rows.push([key.privateKey, digest, made.r, made.s, made.yParity,
      "0x" + key.publicKey.slice(4), computeAddress(key), signatureInDer(made.r, s),
      publicKeyInDer(key.publicKey)]);
  }
  return rows;
}
