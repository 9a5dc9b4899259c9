import { hashJson } from "../canonical.ts";
import { asJson } from "../json.ts";
import type { Check, Task } from "../tasks/task.ts";
import { type DegenerateAnswer, degenerateAnswers } from "./degenerate-answers.ts";
import { passesTask } from "./passes-task.ts";
import { canRun, isAsked } from "./runnable.ts";
import { checkTask } from "./score-task.ts";
import type { ScoringTools } from "./performance.ts";
import { usesKind } from "./uses-kind.ts";

/** A check that a degenerate answer passes on at least half of its tasks. */
export interface DegenerateCheck {
  /** The name to waive it by: `contains`, `not contains`, `answers`, or `tasks` for all of them together. */
  readonly check: string;
  /** The answers that pass, starting with the one that passes most tasks. */
  readonly answers: readonly string[];
  readonly knows: DegenerateAnswer["knows"];
  /** Ids of the tasks that the first of them passes. */
  readonly passed: readonly string[];
  /** Number of tasks with this check that were tried, out of all that use it. */
  readonly tried: number;
  readonly used: number;
  /** Whether a person waived it by name. */
  readonly waived: boolean;
}

export interface Tried {
  readonly degenerate: readonly DegenerateCheck[];
  /** Ids of tasks whose checks took more than a second on such an answer. */
  readonly slow: readonly string[];
}

/**
 * Tries degenerate answers on the checks of these tasks, without asking a judge.
 *
 * An answer counts if it passes a whole *task*, with all its checks. An empty answer may pass a check that forbids
 * something ("must not contain …") or only asks for JSON. That's fine as long as it fails the task's other checks. So a
 * kind of check is degenerate if one such answer passes half of the whole tasks that use it. The tasks together are
 * degenerate if it passes half of them and no single kind is to blame.
 */
export async function tryDegenerate(
  tasks: readonly Task[],
  { command, custom, aside }: ScoringTools,
  waive: readonly string[] = [],
): Promise<Tried> {
  const tools = { command: command && runOnce(command), custom, aside };
  const scorable = tasks.filter(
    (task) => checkTask(task) === undefined && (task.checks ?? []).every((check) => canRun(check, tools)),
  );
  const many = chooseTasks(scorable, mostTasks);
  const few = chooseTasks(scorable, fewTasks);
  const passes: Passes[] = [];
  const slow = new Set<string>();
  for (const answer of degenerateAnswers(scorable)) {
    const chosen = answer.long === true ? few : many;
    const { passed, late } = await tryAnswer(answer, chosen, tools);
    passes.push({ answer, ids: new Set(passed), tried: new Set(chosen.map(({ id }) => id)) });
    for (const id of late) slow.add(id);
  }
  const found = [...labelled(scorable, new Set(waive))].flatMap(([check, uses]) => {
    const worst = (knows: DegenerateAnswer["knows"]) =>
      worstOf(
        check,
        uses,
        passes.filter(({ answer }) => answer.knows === knows),
      );
    // a check that forbids doesn't have words to make an answer from
    return worst("nothing") ?? (check.startsWith("not ") ? [] : (worst("checks") ?? []));
  });
  const kinds = found.filter(({ check }) => check !== allTasks);
  const blamed = new Set(kinds.map(({ knows }) => knows));
  return {
    degenerate: found.filter(
      ({ check, knows }) => check !== allTasks || !(blamed.has(knows) || blamed.has("nothing")),
    ),
    slow: [...slow],
  };
}

/** Ids of the tasks that an answer passes, and of those that took too long. */
async function tryAnswer(
  answer: DegenerateAnswer,
  tasks: readonly Task[],
  tools: ScoringTools,
): Promise<{ readonly passed: readonly string[]; readonly late: readonly string[] }> {
  const [passed, late]: [string[], string[]] = [[], []];
  for (let at = 0; at < tasks.length; at += atOnce) {
    // a slow pattern is reported once, because its other tasks would take a second each
    if (late.length >= mostLate) break;
    const tryOne = async (task: Task) => {
      const performance = answer.of(task);
      if (performance === undefined) return;
      const tried = await passesTask(task, performance, tools);
      if (tried.passed) passed.push(task.id);
      if (tried.late) late.push(task.id);
    };
    await Promise.all(tasks.slice(at, at + atOnce).map(tryOne));
  }
  return { passed, late };
}

interface Passes {
  readonly answer: DegenerateAnswer;
  /** Ids of the tasks that it passed, and of those that it was tried on. */
  readonly ids: ReadonlySet<string>;
  readonly tried: ReadonlySet<string>;
}

/** The answers that pass half or more of the tasks that use a check, as one finding. */
function worstOf(
  check: string,
  { tasks, isWaived }: Labelled,
  passes: readonly Passes[],
): DegenerateCheck | undefined {
  const counted = passes
    .map(({ answer, ids, tried }) => {
      const users = tasks.filter((id) => tried.has(id));
      return { answer, tried: users.length, passed: users.filter((id) => ids.has(id)) };
    })
    .filter(({ passed, tried }) => passed.length > 0 && 2 * passed.length >= tried)
    .toSorted((one, other) => other.passed.length - one.passed.length);
  const [first] = counted;
  if (first === undefined) return undefined;
  const { answer, passed, tried } = first;
  const answers = counted.map((one) => one.answer.name);
  return { check, answers, knows: answer.knows, passed, tried, used: tasks.length, waived: isWaived };
}

/** A grader sees the workspace but not the text, so most of these answers are the same to it. */
function runOnce(command: NonNullable<ScoringTools["command"]>): NonNullable<ScoringTools["command"]> {
  const runs = new Map<string, ReturnType<typeof command>>();
  return (request) => {
    const key = hashJson(asJson(request));
    const run = runs.get(key) ?? command(request);
    runs.set(key, run);
    return run;
  };
}

/** Whether no claim can be based on this check. */
export const blocksClaim = ({ knows, waived }: DegenerateCheck): boolean => knows === "nothing" && !waived;

/** `contains is passed by an empty answer on 12 of the 12 tasks that use it`. */
export function describeDegenerate({ check, answers, passed, tried, used }: DegenerateCheck): string {
  const [first = "", ...others] = answers;
  const also = others.length === 0 ? "" : ` (also by ${others.join("; ")})`;
  const uses = check === allTasks ? "" : tried === 1 ? " that uses it" : " that use it";
  const who = check === allTasks ? "the tasks, whole, are" : `${check} is`;
  const of = tried < used ? `${tried} tried, of ${used} tasks` : `${tried} ${tried === 1 ? "task" : "tasks"}`;
  return `${who} passed by ${first} on ${passed.length} of ${of}${uses}${also}`;
}

/** The next step for a check that a list of all options passes. It doesn't stop a claim. */
export const listedAdvice =
  "An answer that lists every option would pass. Ask for the answer alone and check all of it with `answers` or `exact`, or forbid the other options with `negate`. Claims are made either way.";

/** The names to waive checks of these tasks by; `<name>:<task id>` waives the check for one task. */
export const waivableNames = (tasks: readonly Task[]): ReadonlySet<string> =>
  new Set(tasks.flatMap((task) => labelsOf(task).flatMap((label) => [label, `${label}:${task.id}`])));

const allTasks = "tasks";

/** Tasks to try at the same time, and at most per kind of check, which is enough to estimate a share. */
const [atOnce, mostTasks, fewTasks] = [8, 200, 20];
const mostLate = 3;

/** `not contains`. */
const labelOf = ({ kind, negate = false }: Check): string => (negate ? `not ${kind}` : kind);

const labelsOf = ({ checks = [] }: Task): readonly string[] => [
  ...new Set([...(checks.length === 0 ? ["answers"] : checks.map(labelOf)), allTasks]),
];

/** Picks tasks evenly for each kind of check, in the tasks' order. */
function chooseTasks(tasks: readonly Task[], atMost: number): readonly Task[] {
  const chosen = new Set<Task>();
  for (const label of new Set(tasks.flatMap(labelsOf))) {
    const users = tasks.filter((task) => label !== allTasks && labelsOf(task).includes(label));
    const few = users.some(({ checks = [] }) => checks.some(isAsked)) ? fewTasks : atMost;
    // each answer is its own run in the sandbox
    const most = usesKind(users, "code") ? 5 : few;
    const count = Math.min(users.length, most);
    for (let nth = 0; nth < count; nth += 1)
      chosen.add(users[Math.floor((nth * users.length) / count)] as Task);
  }
  return tasks.filter((task) => chosen.has(task));
}

interface Labelled {
  /** Ids of the tasks that use it, without individually waived ones. */
  readonly tasks: readonly string[];
  readonly isWaived: boolean;
}

function labelled(tasks: readonly Task[], waived: ReadonlySet<string>): ReadonlyMap<string, Labelled> {
  const ids = new Map<string, string[]>();
  for (const task of tasks)
    for (const label of labelsOf(task)) {
      const before = ids.get(label) ?? [];
      if (!waived.has(`${label}:${task.id}`)) before.push(task.id);
      ids.set(label, before);
    }
  return new Map([...ids].map(([label, users]) => [label, { tasks: users, isWaived: waived.has(label) }]));
}
