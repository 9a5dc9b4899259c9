import { loadavg } from "node:os";
import {
  type CallPlan,
  type Config,
  type RunEvent,
  type Summary,
  WhetstoneError,
  evaluate,
  plan,
  train,
} from "../../src/index.ts";

/** Tasks with a skill, and where the config's paths are meant from. */
export interface TaskSet {
  readonly name: string;
  readonly config: Config;
  readonly cwd: string;
}

/** What one run came to: a line of the table. */
export interface RunLine {
  readonly set: string;
  readonly run: string;
  readonly score: string;
  /** Kept of measured. */
  readonly rules: string;
  readonly verdict: string;
  readonly isDone: boolean;
  readonly calls: number;
  readonly nanoUsd: number;
  readonly minutes: number;
  /** Of the machine at its end, over a minute. */
  readonly load: number;
}

type Told = Partial<Pick<RunLine, "score" | "rules" | "verdict" | "isDone">>;
type Options = Config & { readonly cwd: string; readonly onEvent: (event: RunEvent) => void };

interface Run {
  readonly name: string;
  readonly verb: "eval" | "train";
  readonly config: Config;
  readonly perform: (options: Options) => Promise<Told>;
}

const emptySkill = { main: "SKILL.md", files: { "SKILL.md": "" } };

/** No skill, the skill, a search. A description cannot be left out: it is what is measured. */
const runsOf = ({ config }: TaskSet): readonly Run[] => [
  ...(config.track === "description"
    ? []
    : [
        {
          name: "no skill",
          verb: "eval",
          config: { ...config, skill: emptySkill },
          perform: measured,
        } as const,
      ]),
  { name: "seed skill", verb: "eval", config, perform: measured },
  { name: "search", verb: "train", config, perform: searched },
];

/** What the runs of a set will take. Nobody is called. */
export const planRuns = (set: TaskSet): Promise<readonly CallPlan[]> =>
  Promise.all(runsOf(set).map(({ config, verb }) => plan({ ...config, cwd: set.cwd, verb })));

/** One run after the other. A run that cannot be made is a line that says why. */
export async function* performRuns(set: TaskSet, capsLeft: () => Config["spend"]): AsyncGenerator<RunLine> {
  for (const { name, config, perform } of runsOf(set)) {
    const began = performance.now();
    let cost = { calls: 0, nanoUsd: 0 };
    const onEvent = (event: RunEvent) => {
      if (event.type === "run-end") cost = event.cost;
    };
    const told = await perform({ ...config, cwd: set.cwd, spend: capsLeft() ?? {}, onEvent }).catch(why);
    const minutes = (performance.now() - began) / 60_000;
    const { calls, nanoUsd } = cost;
    const line = { set: set.name, run: name, score: "", rules: "", verdict: "", isDone: true };
    yield { ...line, ...told, calls, nanoUsd, minutes, load: loadavg()[0] ?? 0 };
  }
}

function why(error: unknown): Told {
  if (error instanceof WhetstoneError) return { verdict: `not done: ${error.message}`, isDone: false };
  throw error;
}

async function measured(options: Options): Promise<Told> {
  const { hard, tasks, interval } = (await evaluate(options)).summary;
  const range = interval === undefined ? "" : ` (${share(interval.low)}–${share(interval.high)})`;
  return { score: `${hard === null ? "?" : share(hard)}${range} of ${tasks} val` };
}

async function searched(options: Options): Promise<Told> {
  const { summary } = await train(options);
  const { test, val, claim, verdict, rules } = summary;
  const found = claim === undefined ? "" : `, p ${claim.p.toFixed(3)}`;
  return {
    score:
      test === undefined
        ? `${val.baseline === null ? "?" : share(val.baseline)} of val`
        : `${share(test.original)} → ${share(test.best)} of ${test.tasks} test × ${test.trials}`,
    // a rule that was proposed again is measured once
    rules: rulesKept(rules?.rules.filter(({ state }) => state !== "repeated") ?? []),
    verdict: `${verdict}${found}`,
  };
}

const rulesKept = (rules: NonNullable<Summary["rules"]>["rules"]): string =>
  `${rules.filter(({ state }) => state === "kept").length} of ${rules.length}`;

const share = (value: number): string => `${(100 * value).toFixed(1)}%`;

/** The table in Markdown, ready for a page. */
export const tableHead =
  "| tasks | run | score | rules kept of measured | verdict | calls | USD | minutes | load |\n|---|---|---|---|---|---|---|---|---|";

export const tableLine = (line: RunLine): string =>
  `| ${[
    line.set,
    line.run,
    line.score,
    line.rules,
    line.verdict,
    line.calls,
    (line.nanoUsd / 1e9).toFixed(4),
    line.minutes.toFixed(1),
    line.load.toFixed(1),
  ].join(" | ")} |`;
