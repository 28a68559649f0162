// Drives one client as its users do, against a relayer on a devnet:
//     node drive.mjs --sdk 0.4.3 --devnet FOLDER/devnet.json --relayer URL --flows a,b
// Prints a line of JSON for each flow: {"flow", "ok", "why", "ms"}. For own_input_proof this machine must
// have a key (devnet/keys.mjs); the other flows send a proof that was made before, if any.

import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { openFhevmSdk } from './fhevm_sdk.mjs';
import { openRelayerSdk } from './relayer_sdk.mjs';
import { Scene } from './scene.mjs';

const { values } = parseArgs({
  options: {
    sdk: { type: 'string' },
    devnet: { type: 'string' },
    relayer: { type: 'string' },
    flows: { type: 'string' },
  },
});
const opener = values.sdk.startsWith('0.4.') ? openRelayerSdk : openFhevmSdk;
const scene = new Scene(JSON.parse(fs.readFileSync(values.devnet, 'utf8')), values.relayer);

// With what an error of the relayer's carries beside its message.
function reasonOf(error) {
  const parts = [];
  for (let one = error; one && parts.length < 5; one = one.cause) {
    parts.push(one.message ?? String(one));
    if (one.relayerApiError) parts.push(JSON.stringify(one.relayerApiError));
  }
  return parts.join(' <- ');
}

function equal(what, expected, actual) {
  const plain = (value) =>
    JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? inner.toString() : inner));
  if (plain(expected) !== plain(actual))
    throw new Error(`${what}: expected ${plain(expected)}, got ${plain(actual)}`);
}

async function refused(answer, expected) {
  let reason;
  try {
    await answer;
  } catch (error) {
    reason = reasonOf(error);
  }
  if (!reason) throw new Error(`it should have been refused: ${expected}`);
  if (!expected.test(reason)) throw new Error(`not refused by ${expected}, but: ${reason}`);
}

function checkAccepted({ handles, proof }) {
  equal('number of handles', scene.inputs.length, handles.length);
  // As a contract takes it: number of handles, number of signatures, both of them, extra data.
  equal('first byte of the proof', handles.length, Number(proof.slice(0, 4)));
}

const FLOWS = {
  async key_url(client) {
    const { publicKey, crs } = await client.keyMaterial();
    const served = await scene.keyMaterial();
    equal('bytes of the public key', served.publicKey, publicKey);
    equal('bytes of the CRS', served.crs, crs);
  },

  // The client computes the handles itself, and checks them and the coprocessors' signatures.
  input_proof: async (client) => checkAccepted(await client.submit(scene.madeProof())),

  // With half a minute of work between two requests, in which the client lets its connections lie.
  async own_input_proof(client) {
    const { publicKey } = await client.keyMaterial();
    equal('public key', (await scene.keyMaterial()).publicKey, publicKey);
    checkAccepted(await client.encrypt(scene.inputs));
  },

  async rejected_input_proof(client) {
    await scene.turn({ rejectAll: true });
    try {
      await refused(client.submit(scene.madeProof()), /proof rejected|rejected the input proof/i);
    } finally {
      await scene.turn({ rejectAll: false });
    }
  },

  // A failure comes to the user with its label, not as an answer that makes no sense.
  async paused_public_decrypt(client) {
    const { handles } = await scene.secrets();
    await scene.write('gateway/decryption/setPaused', [true]);
    try {
      await refused(client.publicDecrypt(handles), /protocol_paused/);
    } finally {
      await scene.write('gateway/decryption/setPaused', [false]);
    }
  },

  // The client checks the signatures of the KMS nodes.
  async public_decrypt(client) {
    const asked = await scene.secrets();
    equal('values', asked.values, await client.publicDecrypt(asked.handles));
  },

  // The client checks each share, decrypts it, and puts them together.
  async user_decrypt(client) {
    const asked = await scene.secrets();
    equal('values', asked.values, await client.userDecrypt(asked.handles));
  },

  async delegated_user_decrypt(client) {
    const asked = await scene.secrets();
    equal('values', asked.values, await client.delegatedUserDecrypt(asked.handles));
  },

  // Asked again, it is another request of the client's, but the same one of ours.
  async repeated_public_decrypt(client) {
    const asked = await scene.secrets();
    equal('values', asked.values, await client.publicDecrypt(asked.handles));
    equal('values', asked.values, await client.publicDecrypt(asked.handles));
  },
};

let client;
for (const name of values.flows.split(',')) {
  const started = Date.now();
  const report = { flow: name, ok: true, why: '' };
  try {
    client ??= await opener(values.sdk, scene);
    await FLOWS[name](client);
  } catch (error) {
    Object.assign(report, { ok: false, why: reasonOf(error) });
  }
  console.log(JSON.stringify({ ...report, ms: Date.now() - started }));
}
// Kept connections and the clients' timers would hold it.
process.exit(0);
