// Random inputs that are the same for a seed on every machine.
//
// Hashes, addresses, keys and byte strings come from small pools: no codec cares what they are, and
// the files compress to a fraction.
import { getAddress, hexlify, keccak256, toUtf8Bytes } from "ethers";

export class Draw {
  constructor(seed) {
    this.state = parseInt(keccak256(toUtf8Bytes(seed)).slice(2, 10), 16);
    this.pool = new Uint8Array(2048).map(() => this.below(256));
    this.hashes = Array.from({ length: 48 }, () => this.fresh(32));
    this.addresses = Array.from({ length: 48 }, () => getAddress(this.fresh(20)));
  }

  // mulberry32
  bits32() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }
  below(most) {
    return this.bits32() % most;
  }
  chance(percent) {
    return this.below(100) < percent;
  }
  one(list) {
    return list[this.below(list.length)];
  }
  many(most, draw) {
    return Array.from({ length: this.below(most + 1) }, draw);
  }

  fresh(size) {
    return hexlify(new Uint8Array(size).map(() => this.below(256)));
  }
  hash() {
    return this.one(this.hashes);
  }
  address() {
    return this.one(this.addresses);
  }
  // Lengths around whole words are where paddings go wrong.
  bytes(most = 130) {
    const size = this.chance(20)
      ? this.one([0, 1, 31, 32, 33, 55, 56, 63, 64, 65])
      : this.below(most + 1);
    const start = this.below(this.pool.length - Math.min(size, this.pool.length - 1));
    return hexlify(this.pool.slice(start, start + size));
  }
  // Of any length up to so many bits, with the limits among them.
  number(bits) {
    if (this.chance(5)) return 0n;
    if (this.chance(5)) return (1n << BigInt(bits)) - 1n;
    const width = 1 + this.below(bits);
    let number = 1n;
    for (let i = 1; i < width; ++i) number = (number << 1n) | BigInt(this.bits32() & 1);
    return number;
  }
}
