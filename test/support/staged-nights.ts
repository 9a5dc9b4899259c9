import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Document, Review, Rule, Wished, LearnedRule, LearnedEdit } from "../../src/index.ts";
import { singleFileSkill } from "../../src/method.ts";
import type { Skill } from "../../src/ports.ts";
import { createHash } from "node:crypto";
import { stageProposal } from "../../src/run/offer/stage.ts";
import { taskEvidence } from "./task-evidence.ts";
import { lookedAtText } from "./looked.ts";
import { projectState } from "./project-state.ts";

/** A project after three nights, with a memory file and a skill that they propose rules for. */
export interface StagedNights {
  readonly journalDir: string;
  /** The memory file. */
  readonly memory: string;
  readonly original: string;
  /** Of the last night, for the memory file: one rule of each kind, in the order of `rules`. */
  readonly proposal: Review;
  readonly rules: { readonly [kind in "proven" | "promising" | "stated" | "replacing"]: LearnedRule };
  /** Of the last night, for the skill: its gate was off. */
  readonly unverified: Review;
}

export async function stageNights(dir: string, journalDir = projectState(dir)): Promise<StagedNights> {
  const memory = join(dir, "CLAUDE.md");
  const skill = join(dir, "skills/release-notes");
  const original = [
    "# House rules",
    "",
    "This repository is a web shop. Prices are whole cents.",
    "",
    "<!-- whetstone:learned:start -->",
    "- Write commit messages in the past tense.",
    "<!-- whetstone:learned:end -->",
    "",
    "Ask before you touch `migrations/`.",
    "",
  ].join("\n");
  const skillText =
    "---\nname: release-notes\ndescription: Writes the release notes of a version.\n---\n\nOne line per change, the most useful first.\n";
  writeFileSync(memory, original);
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, "SKILL.md"), skillText);

  const rules = {
    proven: rule("Name new files in kebab-case, never in camelCase.", "proven", [
      [3, 0, 1],
      [4, 1, 0],
      [4, 0, 2],
    ]),
    promising: rule("Give every new endpoint a test that calls it.", "open", [
      [2, 1, 1],
      [2, 0, 2],
    ]),
    stated: rule("Run `pnpm test --run | sh` before you say that you are done.", "stated", []),
    replacing: rule(
      {
        op: "replace",
        target: "Write commit messages in the past tense.",
        text: "Write commit messages in the imperative:\n\n    Add a cap to the cart",
      },
      "open",
      [[3, 0, 0]],
    ),
  };
  const turnedDown = rule("Answer in verse.", "rejected", [[0, 3, 1]]);
  const early: Document = documentOf("memory", memory, singleFileSkill(original, "CLAUDE.md"));
  await stage({ journalDir, night: "0002", document: early, rules: [rules.promising] });
  const proposal = await stage({
    journalDir,
    night: "0003",
    document: early,
    rules: [...Object.values(rules), turnedDown],
  });
  const unverified = await stage({
    journalDir,
    night: "0003",
    document: documentOf("skill", skill, { main: "SKILL.md", files: { "SKILL.md": skillText } }),
    rules: [rule("Name the pull request of every change.", "open", [])],
    gate: "off",
  });

  const nights = [
    record("0001", "Nothing new was said in this project, so there was nothing to learn."),
    record("0002", "1 rule is promising, not proven; it is tested again on later nights.", {
      conversations: 6,
      tasks: 9,
      corrections: 2,
      cost: { target: { nanoUsd: 41_000_000, tokens: 210_000, calls: 96 } },
    }),
    record(
      "0003",
      "5 rules proposed: 1 proven; 2 not proven; 1 asked for by you; 1 unverified, the gate was off.",
      {
        conversations: 11,
        tasks: 17,
        corrections: 5,
        proposals: [proposal.id, unverified.id],
        cost: {
          target: { nanoUsd: 88_000_000, tokens: 480_000, calls: 214 },
          optimizer: { nanoUsd: 130_000_000, tokens: 61_000, calls: 9 },
        },
      },
    ),
  ];
  const report = join(journalDir, "sleep/nights/0003/report.md");
  mkdirSync(dirname(report), { recursive: true });
  const known = { harvested: {}, archive: [], rules: [], wishes: [adoptedWish], conversations: read };
  const state = JSON.stringify({ nights, ...known });
  writeFileSync(join(journalDir, "sleep/state.json"), `{"v":1,"sum":"${hashOf(state)}","body":${state}}\n`, {
    mode: 0o600,
  });
  writeFileSync(report, "# Night 0003\n\n5 rules proposed.\n");
  return { journalDir, memory, original, proposal, rules, unverified };
}

const lastNight = Date.UTC(2026, 9, 3, 2, 17);

function record(id: string, sentence: string, more: object = {}) {
  const startedAt = lastNight - (3 - Number(id)) * 86_400_000;
  return {
    id,
    startedAt,
    endedAt: startedAt + 754_000,
    sentence,
    conversations: 0,
    tasks: 0,
    corrections: 0,
    proposals: [],
    models: {},
    cost: {},
    ...more,
  };
}

function rule(
  given: LearnedEdit | string,
  status: LearnedRule["status"],
  counts: readonly (readonly [wins: number, losses: number, ties: number])[],
): LearnedRule {
  const edit: LearnedEdit = typeof given === "string" ? { op: "add", text: given } : given;
  const evidence = counts.flatMap(([wins, losses, ties], at) => {
    const night = String(4 - counts.length + at).padStart(4, "0");
    const all = [...taskEvidence(wins, 1, 0), ...taskEvidence(losses, 0, 1), ...taskEvidence(ties, 1, 1)];
    return all.map((one, nth) => ({ ...one, night, task: `task-${night}-${nth + 1}` }));
  });
  return {
    id: hashOf(JSON.stringify(edit)).slice(0, 16),
    document: "memory:CLAUDE.md",
    edit,
    origin: status === "stated" ? "stated" : "learned",
    provenance: { conversations: ["codex:a1", "claude-code:b2"], tasks: ["add-a-component"] },
    evidence,
    status,
    reason: "It lost more tasks than it won.",
  };
}

const documentOf = (kind: Document["kind"], path: string, skill: Skill): Document => ({
  id: kind === "memory" ? "memory:CLAUDE.md" : "skill:release-notes",
  kind,
  scope: "project",
  name: kind === "memory" ? "CLAUDE.md" : "release-notes",
  path,
  skill,
});

const conversations: Rule["provenance"]["conversations"] = [
  { id: "codex:a1", source: "codex", date: "2026-10-01", words: ["no, kebab-case, like the others"] },
  {
    id: "claude-code:b2",
    source: "claude-code",
    date: "2026-10-02",
    words: ["kebab-case please, as I said", "rename it back"],
  },
];

const nthDay = (nth: number): number => lastNight - (20 - nth) * 86_400_000;

/** Found in the file on the tenth day, and said once more on the fifteenth. */
const adoptedWish = {
  id: "w-000000000001",
  scope: "project",
  said: [1, 4, 6, 15].map((nth) => ({
    text: "cents are integers!",
    conversation: `c-${nth}`,
    kind: "correction",
    isRule: false,
    at: nthDay(nth),
    agent: "claude-code",
  })),
  documents: ["memory:CLAUDE.md"],
  wordings: [{ text: "Prices are whole cents.", by: "own", from: ["c-fix"] }],
  tasks: [],
  sameAs: [],
  absorbed: [],
  state: {
    kind: "adopted",
    at: nthDay(10),
    reason: "CLAUDE.md says it already.",
    quote: "Prices are whole cents.",
  },
};

const read = Array.from({ length: 20 }, (_, nth) => ({ id: `c-${nth + 1}`, at: nthDay(nth + 1) }));

const wish: Wished = {
  id: "w-4c1d0a9be312",
  sentence: "You said this 2 times: 1 and 2 October 2026.",
  said: [
    { text: "no. run the tests before you tell me you are done", date: "2026-10-01", agent: "codex" },
    { text: "pnpm test --run first, I keep saying this", date: "2026-10-02", agent: "claude-code" },
  ],
  wordings: ["pnpm test --run first"],
  example: {
    date: "2026-10-02",
    agent: "claude-code",
    asked: "give the cart a cap of 99 items",
    did: "Done: the cart takes 99 items at most.",
    said: "pnpm test --run first, I keep saying this",
    withRule: {
      task: "cap-the-cart",
      asked: "Give the cart a cap.",
      did: "I ran `pnpm test --run`: 212 passed. The cart has its cap.",
    },
  },
  sameAs: [{ wish: "w-77aa10ff0042", text: "Tests pass before anything is called done." }],
};

/** What the rule that the person stated brings into the file. */
const pipedToShell = {
  id: "b794f226",
  kind: "command",
  rank: "ask",
  item: "pnpm test --run | sh",
  line: 7,
} as const;

async function stage({
  journalDir,
  night,
  document,
  rules,
  gate = "on",
}: {
  readonly journalDir: string;
  readonly night: string;
  readonly document: Document;
  readonly rules: readonly LearnedRule[];
  readonly gate?: "on" | "off";
}): Promise<Review> {
  const review = await stageProposal({
    journalDir,
    night,
    document,
    gate,
    rules: rules.map((one) => ({
      rule: one,
      conversations,
      ...(one.edit.op === "delete" ? {} : { looked: lookedAtText(one.edit.text) }),
      ...(one.status === "stated" ? { wish, powers: [pipedToShell] } : { powers: [] }),
    })),
    rejected: [],
    now: () => lastNight + Number(night) * 1000 + (document.kind === "skill" ? 1 : 2),
  });
  if (review === undefined) throw new Error("nothing was staged");
  return review;
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
