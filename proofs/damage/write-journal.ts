import { hash } from "node:crypto";
// node write-journal.ts <dir> <manifest> <seed> <rows> <hold | close>: writes a journal of a real shape, and every
// entry that was promised into a manifest outside of it.
import { appendFileSync } from "node:fs";
import { type NewEntry, sqliteJournal } from "../../src/ports.ts";
import { seededRandom } from "../../src/testing/index.ts";

const [dir = "", manifest = "", seed = "", rows = "0", end = "close"] = process.argv.slice(2);
const random = seededRandom("damage", seed);

try {
  const journal = await sqliteJournal({ dir });
  for (let written = 0; written < Number(rows); ) {
    const turn = Array.from({ length: 1 + Math.floor(random() * 12) }, (_, at) => newEntry(written + at));
    const promised = await Promise.all(turn.map((entry) => journal.write(entry)));
    appendFileSync(manifest, promised.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    written += turn.length;
    console.log(`rows ${written}`);
  }
  // a held one is killed from outside, so that its write-ahead log stays
  if (end === "hold") setInterval(() => undefined, 60_000);
  else await journal.close();
} catch (error) {
  console.log(`error ${error instanceof Error && "code" in error ? String(error.code) : String(error)}`);
}

function newEntry(at: number): NewEntry {
  const run = `run-${Math.floor(random() * 3)}`;
  const draw = random();
  if (draw < 0.3) {
    const name = ["run-start", "step-end", "rollout-end", "run-end"][Math.floor(random() * 4)] ?? "";
    return { kind: "event", run, key: "", name, body: { type: name, at, note: words(random() * 300) } };
  }
  const kind = draw < 0.5 ? "intent" : draw < 0.55 ? "failure" : draw < 0.6 ? "use" : "result";
  // now and then a key that has a result already
  const key = hash("sha256", `${seed} ${random() < 0.05 ? Math.floor(random() * at) : at}`);
  return {
    kind,
    run,
    key,
    name: "",
    body: { output: { text: words(random() * 2000) }, cost: { nanoUsd: at } },
  };
}

function words(length: number): string {
  let text = "";
  while (text.length < length) text += `${Math.floor(random() * 1e9).toString(36)} é `;
  return text;
}
