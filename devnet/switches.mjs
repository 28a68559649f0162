// How the coprocessors and KMS nodes behave; may be turned while they work. Each switch has its default
// and the values it takes.

const KINDS = ['input_proof', 'public_decrypt', 'user_decrypt'];

const count = (value) => Number.isInteger(value) && value >= 0;
const bytes = (value) => typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value);
const handle = (value) => /^0x[0-9a-f]{64}$/.test(value);
const number = (value) => /^(0x[0-9a-f]+|[0-9]+)$/.test(value);
const some = (value) => count(value) || value === 'all';

export const SWITCHES = {
  // Milliseconds between the block of a request and each answer to it, and a random time on top, from
  // which answers overtake each other.
  delayMs: { value: 0, takes: count },
  reorderMs: { value: 0, takes: count },
  // The random times come from here: the same seed gives the same order.
  seed: { value: 1, takes: count },
  // How many nodes say nothing, by kind; the last ones. They answer what they missed when this is
  // turned back.
  silence: {
    value: { input_proof: 0, public_decrypt: 0, user_decrypt: 0 },
    takes: (value) => Object.entries(value).every(([k, v]) => KINDS.includes(k) && some(v)),
  },
  // Proofs that are rejected: all of them, each nth, and those whose bytes begin so.
  rejectAll: { value: false, takes: (value) => typeof value === 'boolean' },
  rejectEvery: { value: 0, takes: count },
  rejectPrefix: { value: '0xdeadbeef', takes: bytes },
  // How often each node says the same again; the contract refuses that.
  duplicates: { value: 0, takes: count },
  // What a proof is worth, and the size of a share.
  handlesPerProof: { value: 2, takes: (value) => count(value) && value <= 255 },
  shareBytes: { value: 256, takes: count },
  // What a handle (lower case) stands for; else it is a number made of the handle.
  values: {
    value: {},
    takes: (value) => Object.entries(value).every(([k, v]) => handle(k) && number(v)),
  },
  // Of the answers: 'echo' what was asked, or these bytes.
  extraData: { value: 'echo', takes: (value) => value === 'echo' || bytes(value) },
};

export function defaultSwitches() {
  return structuredClone(
    Object.fromEntries(Object.entries(SWITCHES).map(([name, { value }]) => [name, value])));
}

// Sets what is named in `changes` and leaves the rest; throws, and sets nothing, when something is wrong.
export function turn(switches, changes) {
  if (changes === null || typeof changes !== 'object') throw new Error('an object is needed');
  for (const [name, value] of Object.entries(changes)) {
    const known = SWITCHES[name];
    if (!known) throw new Error(`there is no switch '${name}'`);
    const wanted = typeof known.value;
    if (typeof value !== wanted && typeof value !== 'number')
      throw new Error(`'${name}' takes a ${wanted}`);
    if (!known.takes(value)) throw new Error(`'${name}' does not take ${JSON.stringify(value)}`);
  }
  for (const [name, value] of Object.entries(changes))
    switches[name] = typeof value === 'object' ? { ...switches[name], ...value } : value;
}
