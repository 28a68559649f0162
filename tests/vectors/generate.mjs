// Writes the vectors of all codecs: `node generate.mjs [FOLDER]`, here without an argument.
//
// One file for each codec, one case on a line, fields between tabs, `-` for what is no value.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Draw } from "./draw.mjs";
import { calls, events, transactions, typedData } from "./gateway.mjs";
import { addresses, hex, keccak, rlp, signatures, uint256 } from "./simple.mjs";

const RANDOM_CASES = 2000;
const folder = process.argv[2] ?? dirname(fileURLToPath(import.meta.url));
const codecs = { addresses, calls, events, hex, keccak, rlp, signatures, transactions, typedData, uint256 };

for (const [name, rows] of Object.entries(codecs)) {
  const lines = rows(new Draw(name), RANDOM_CASES).map((row) => row.join("\t") + "\n");
  const packed = spawnSync("xz", ["-9e", "-c"], { input: lines.join(""), maxBuffer: 1 << 28 });
  if (packed.status !== 0) throw new Error(`xz failed for ${name}`);
  writeFileSync(join(folder, `${name}.txt.xz`), packed.stdout);
  console.log(`${name}: ${lines.length} cases, ${packed.stdout.length} bytes`);
}
