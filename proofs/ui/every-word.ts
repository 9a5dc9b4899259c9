import type { EventBody, StepAction, VerdictWord } from "../../src/index.ts";
import { type JsonObject, openJournal } from "../../src/ports.ts";

const noCost = { nanoUsd: 0, tokens: 0, calls: 0 };
const longReason =
  "added rules 3, 7, 11, 12 and 19, removed rules 2 and 5; 4 dropped, 23 still being tested; val about 71.0%, +4.2 points, and more words than fit into any row";

/** Runs in a journal that between them show every verdict, every state and every decision of a step, at its longest. */
export async function writeEveryWord(journalDir: string): Promise<{ readonly steps: string }> {
  const journal = await openJournal({ journalDir });
  const write = async (run: string, events: readonly EventBody[]) => {
    for (const [at, { type, ...body }] of events.entries()) {
      const entry = { v: 1, seq: at + 1, at: Date.now(), ...body } as unknown as JsonObject;
      await journal.write({ kind: "event", run, key: "", name: type, body: entry });
    }
  };
  const start = (name: string, steps = 0): EventBody => ({
    type: "run-start",
    command: "train",
    skill: "0123456789abcdef",
    skillName: name,
    skillPath: `/somewhere/with/a/long/path/of/folders/${name}/SKILL.md`,
    models: { target: "a-vendor-with-a-long-name/a-model-with-a-very-long-name" },
    tasks: { train: 40, val: 40, test: 40 },
    steps,
    resumed: 0,
    finished: false,
    spent: noCost,
    folder: journalDir,
    settings: { gate: "strict" },
  });
  try {
    for (const verdict of Object.keys(verdicts) as readonly VerdictWord[])
      await write(idOf(verdict), [start("an-office-with-a-long-name"), ended(verdict)]);
    await write(idOf("stopped"), [
      start("an-office-with-a-long-name", 12),
      {
        type: "run-end",
        status: "stopped",
        code: "spend-cap",
        message: "The next call could go over the cap of 2,000 calls.",
        next: "Raise the cap and run the same command again: nothing is bought twice.",
        cost: noCost,
      },
    ]);
    const steps = idOf("steps");
    await write(steps, [
      start("an-office-with-a-long-name", 100),
      ...(Object.keys(actions) as readonly StepAction[]).flatMap(step),
    ]);
    return { steps };
  } finally {
    await journal.close();
  }
}

/** All there are: the compiler says when there is a new one. */
const verdicts: Readonly<Record<VerdictWord, true>> = {
  better: true,
  worse: true,
  higher: true,
  lower: true,
  "no-difference": true,
  even: true,
  "not-proven": true,
  withheld: true,
  undecided: true,
  "not-worse": true,
  "no-loss": true,
  "not-tested": true,
  unchanged: true,
  identical: true,
};
const actions: Readonly<Record<StepAction, true>> = {
  accept_new_best: true,
  accept: true,
  reject: true,
  return_to_original: true,
  skip: true,
  undecided: true,
};

const idOf = (word: string): string => Buffer.from(word.padEnd(8, "0")).toString("hex").slice(0, 16);

function ended(verdict: VerdictWord): EventBody {
  const claim = {
    verdict,
    difference: -0.1234,
    interval: { low: -1, high: 1, level: 0.9 },
    wins: 10,
    losses: 10,
    ties: 20,
  };
  return {
    type: "run-end",
    status: "done",
    message: `The verdict is ${verdict}.`,
    summary: { verdict, ...(verdict === "unchanged" || verdict === "not-tested" ? {} : { claim }) },
    cost: { nanoUsd: 123_456_000_000, tokens: 12_345_678, calls: 12_345 },
  };
}

function step(action: StepAction, at: number): readonly EventBody[] {
  const step = at + 95;
  const place = { step, epoch: 4, budget: 4 };
  return [
    { type: "step-start", ...place, steps: 100 },
    {
      type: "step-end",
      ...place,
      action,
      reason: longReason,
      score: 0.71,
      evidence: null,
      current: { score: 1, hash: "" },
      best: { score: 1, step, hash: "" },
      edits: 12,
      refused: 12,
    },
  ];
}
