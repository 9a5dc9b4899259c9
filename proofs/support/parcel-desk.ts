import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { seededRandom } from "../../src/testing/index.ts";

export const deskName = "parcel-desk";
export const shelvesFile = "references/shelves.md";

/** Where each kind of parcel belongs. */
export const shelves: Readonly<Record<string, string>> = {
  "glass vases": "GL-41",
  "spare tyres": "RU-93",
  "lamp oil": "FL-65",
  "piano strings": "MU-52",
};

/** What the desk says at the end of an answer; the judge looks for it. */
export const window = "window 3";

/** The shelf of a parcel that nobody knows better about. */
export const lostShelf = "ZZ-00";

/** What the folder knows at the start: one shelf, a second one wrong, and nothing of the window. */
const knownShelves = ["- glass vases: GL-41", "- spare tyres: RU-39"];

const skillText = `---
name: ${deskName}
# kept by the depot; ask there before renaming it
description: >-
  Labels parcels for the depot. Use it whenever a parcel
  needs a label or a shelf.
license: MIT
compatibility: Needs a POSIX shell.
metadata: { owner:   'depot', version: "1.4" }
---
# The parcel desk

1. Look the shelf up in [shelves](references/shelves.md); the last line about a kind counts.
2. Print the label: \`scripts/label.sh <number> <shelf> > label.txt\`.
3. Tell the customer that the label is ready.

Couriers are listed in [couriers](references/couriers.md).
`;

const files: Readonly<Record<string, string | Uint8Array>> = {
  "SKILL.md": skillText,
  [shelvesFile]: `# Shelves\n\n${knownShelves.join("\n")}\n`,
  // line ends and bytes that a careless writer would change
  "references/couriers.md": "\uFEFF# Couriers\r\n\r\n- North: Tuesdays\r\n- South: Fridays",
  "scripts/label.sh": '#!/bin/sh\nset -eu\nprintf \'Parcel %s\\nShelf %s\\n\' "$1" "$2"\n',
  "assets/seal.png": Uint8Array.from({ length: 2048 }, (_, at) => (at * 31 + (at >> 3)) % 256),
};

const modes: Readonly<Record<string, number>> = {
  "scripts/label.sh": 0o755,
  "references/couriers.md": 0o640,
};

export interface DeskOptions {
  readonly tasks: number;
  /** Whether every fifth task also has a sentence for the judge. */
  readonly judged: boolean;
  /** Whether every task has a file to begin with, and a command that grades what is left. @default false */
  readonly graded?: boolean;
  readonly seed: number;
}

/** Writes the skill's folder with `evals/evals.json`, and tells where it is. */
export function writeDesk(parent: string, { tasks, judged, graded = false, seed }: DeskOptions): string {
  const folder = join(parent, deskName);
  const write = (path: string, content: string | Uint8Array) => {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content, { mode: modes[path] ?? 0o644 });
  };
  for (const [path, content] of Object.entries(files)) write(path, content);
  if (graded) write("evals/files/form.txt", form);
  const evals = Array.from({ length: tasks }, (_, at) => ({
    ...writeEval(at, seed, judged && at % 5 === 1),
    ...(graded ? { files: ["evals/files/form.txt"] } : {}),
  })).map((one) => (graded ? { ...one, checks: [...one.checks, gradedByCommand] } : one));
  write("evals/evals.json", `${JSON.stringify({ skill_name: deskName, evals }, null, 2)}\n`);
  return folder;
}

const form = "Depot form 12. Leave it as it is.\n";

/** The form is as it was, and the label has its two lines. */
const gradedByCommand = {
  kind: "command",
  value: {
    run: 'cmp form.txt "$GRADER/form.txt" && test "$(wc -l < label.txt)" = 2',
    files: { "form.txt": form },
  },
};

/** Every eval checks the file that is left. */
function writeEval(at: number, seed: number, isJudged: boolean) {
  const random = seededRandom("parcel-desk", seed, at);
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? "";
  const kinds = Object.keys(shelves);
  const kind = kinds[at % kinds.length] ?? "";
  const number = 1200 + 7 * at;
  const prompt = `${pick(openings)} Parcel ${number} holds ${kind} and goes to ${pick(places)}. ${pick(requests)}`;
  const checks = [{ kind: "file", value: { path: "label.txt", contains: `Shelf ${shelves[kind]}` } }];
  const judged = {
    expected_output: `Parcel ${number} is labelled. Fetch it at ${window}, please.`,
    expectations: [`The customer of parcel ${number} learns which window hands it out, namely 3.`],
  };
  return { id: at + 1, prompt, checks, ...(isJudged ? judged : {}) };
}

const openings = ["Good morning.", "Another one came in.", "A van just left this here.", "From the yard:"];
const places = ["Oslo", "Lagos", "Lima", "Osaka", "Turin", "Quebec", "Perth", "Tunis", "Gdansk", "Hanoi"];
const requests = [
  "Please label it; the label belongs in label.txt.",
  "Write its label to label.txt.",
  "It needs a label (label.txt).",
];
