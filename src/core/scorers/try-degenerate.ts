import { hashJson } from "../canonical.ts";
import { InfraError } from "../errors.ts";
import type { Json } from "../json.ts";
import type { Check, Task } from "../tasks/task.ts";
import { type DegenerateAnswer, degenerateAnswers } from "./degenerate-answers.ts";
import { canRun, isAsked } from "./runnable.ts";
import { type Performance, type ScoringTools, checkTask, scoreTask } from "./score-task.ts";

/** A check that a degenerate answer passes on half of its tasks, or more. */
export interface DegenerateCheck {
  /** `contains`, `not contains`, `answers`, and `tasks` for all of them together: the name by which it is waived. */
  readonly check: string;
  /** The answers that pass, the one that passes most first. */
  readonly answers: readonly string[];
  readonly knows: DegenerateAnswer["knows"];
  /** Ids of the tasks that the first of them passes. */
  readonly passed: readonly string[];
  /** Tasks with this check that were tried. */
  readonly tried: number;
  /** A person said by name that it counts all the same. */
  readonly waived: boolean;
}

export interface Tried {
  readonly degenerate: readonly DegenerateCheck[];
  /** Ids of tasks whose checks took more than a second on such an answer. */
  readonly slow: readonly string[];
}

/**
 * Tries the standing adversary on the checks of these tasks, without asking a judge.
 *
 * What counts is whether an answer passes a *task*: all checks of it. A check that forbids ("must not contain …"), or one
 * that only wants JSON, is passed by an answer of nothing, and that is right as long as the task's other checks
 * are not. So a kind of check is degenerate when one such answer passes half of the tasks that use it, whole; and
 * so are the tasks together when it passes half of them without any one kind being to blame.
 */
export async function tryDegenerate(
  tasks: readonly Task[],
  { judge: _, ...given }: ScoringTools,
  waive: readonly string[] = [],
): Promise<Tried> {
  const tools = { ...given, command: given.command && runOnce(given.command) };
  const scorable = tasks.filter(
    (task) => checkTask(task) === undefined && (task.checks ?? []).every((check) => canRun(check, tools)),
  );
  const chosen = chooseTasks(scorable);
  const waived = new Set(waive);
  const passes: { readonly answer: DegenerateAnswer; readonly ids: ReadonlySet<string> }[] = [];
  const slow = new Set<string>();
  for (const answer of degenerateAnswers(scorable)) {
    const ids = new Set<string>();
    let late = 0;
    for (let at = 0; at < chosen.length && late < mostLate; at += atOnce) {
      const tryOne = async (task: Task) => {
        const performance = answer.of(task);
        if (performance === undefined) return;
        const tried = await passesTask(task, performance, tools);
        if (tried.passed) ids.add(task.id);
        if (tried.late) late += 1;
        if (tried.late) slow.add(task.id);
      };
      await Promise.all(chosen.slice(at, at + atOnce).map(tryOne));
    }
    passes.push({ answer, ids });
  }
  const found = [...labelled(chosen, waived)].flatMap(([check, { tasks: users, isWaived }]) => {
    const worst = (knows: DegenerateAnswer["knows"]): DegenerateCheck | undefined => {
      const counted = passes
        .filter(({ answer }) => answer.knows === knows)
        .map(({ answer, ids }) => ({ name: answer.name, passed: users.filter((id) => ids.has(id)) }))
        .filter(({ passed }) => passed.length > 0 && 2 * passed.length >= users.length)
        .toSorted((one, other) => other.passed.length - one.passed.length);
      const [first] = counted;
      return first === undefined
        ? undefined
        : {
            check,
            answers: counted.map(({ name }) => name),
            knows,
            passed: first.passed,
            tried: users.length,
            waived: isWaived,
          };
    };
    // what forbids has no words to be made of
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

/** A grader sees the workspace and not the text: most of these answers are one to it. */
function runOnce(command: NonNullable<ScoringTools["command"]>): NonNullable<ScoringTools["command"]> {
  const runs = new Map<string, ReturnType<typeof command>>();
  return (request) => {
    const key = hashJson(request as unknown as Json);
    const run = runs.get(key) ?? command(request);
    runs.set(key, run);
    return run;
  };
}

/** What a claim cannot rest on. */
export const blocksClaim = ({ knows, waived }: DegenerateCheck): boolean => knows === "nothing" && !waived;

/** `contains is passed by an empty answer on 12 of the 12 tasks that use it`. */
export function describeDegenerate({ check, answers, passed, tried }: DegenerateCheck): string {
  const [first = "", ...others] = answers;
  const also = others.length === 0 ? "" : ` (also by ${others.join("; ")})`;
  const uses = check === allTasks ? "" : tried === 1 ? " that uses it" : " that use it";
  const who = check === allTasks ? "the tasks, whole, are" : `${check} is`;
  return `${who} passed by ${first} on ${passed.length} of ${tried} ${tried === 1 ? "task" : "tasks"}${uses}${also}`;
}

/** The names by which checks of these tasks can be waived; `<name>:<task id>` waives one task's. */
export const waivableNames = (tasks: readonly Task[]): ReadonlySet<string> =>
  new Set(tasks.flatMap((task) => labelsOf(task).flatMap((label) => [label, `${label}:${task.id}`])));

const allTasks = "tasks";

/** Tasks that are tried at the same time, and those of one kind of check at most: a share needs no more. */
const [atOnce, mostTasks, mostAsked] = [8, 200, 20];
/** One slow pattern is told of once; the rest of its tasks would take a second each. */
const mostLate = 3;

/** `not contains`. */
const labelOf = ({ kind, negate = false }: Check): string => (negate ? `not ${kind}` : kind);

const labelsOf = ({ checks = [] }: Task): readonly string[] => [
  ...new Set([...(checks.length === 0 ? ["answers"] : checks.map(labelOf)), allTasks]),
];

/** Of each kind of check evenly many, in the tasks' order. */
function chooseTasks(tasks: readonly Task[]): readonly Task[] {
  const chosen = new Set<Task>();
  for (const label of new Set(tasks.flatMap(labelsOf))) {
    const users = tasks.filter((task) => label !== allTasks && labelsOf(task).includes(label));
    const most = users.some(({ checks = [] }) => checks.some(isAsked)) ? mostAsked : mostTasks;
    const count = Math.min(users.length, most);
    for (let nth = 0; nth < count; nth += 1)
      chosen.add(users[Math.floor((nth * users.length) / count)] as Task);
  }
  return tasks.filter((task) => chosen.has(task));
}

interface Labelled {
  /** Ids of the tasks that use it, without those that are waived one by one. */
  readonly tasks: readonly string[];
  readonly isWaived: boolean;
}

function labelled(tasks: readonly Task[], waived: ReadonlySet<string>): ReadonlyMap<string, Labelled> {
  const uses = new Map<string, Labelled>();
  for (const task of tasks)
    for (const label of labelsOf(task)) {
      if (waived.has(`${label}:${task.id}`)) continue;
      const before = uses.get(label)?.tasks ?? [];
      uses.set(label, { tasks: [...before, task.id], isWaived: waived.has(label) });
    }
  return uses;
}

interface TriedTask {
  readonly passed: boolean;
  readonly late: boolean;
}

/** Graders and functions are asked last, and only about what passed all else. */
async function passesTask(task: Task, performance: Performance, tools: ScoringTools): Promise<TriedTask> {
  const { checks = [] } = task;
  let late = false;
  const { aside } = tools;
  const watched: ScoringTools = {
    ...tools,
    aside:
      aside &&
      (async (check, text) => {
        const verdict = await aside(check, text);
        if ("unread" in verdict) late = true;
        return verdict;
      }),
  };
  const parts =
    checks.length === 0
      ? [task]
      : [checks.filter((one) => !isAsked(one)), checks.filter(isAsked)]
          .filter((part) => part.length > 0)
          .map((part) => ({ ...task, checks: part }));
  for (const part of parts) {
    const score = await scoreTask(part, performance, watched).catch((error: unknown) => {
      // nobody knows: then it has not passed
      if (error instanceof InfraError) return undefined;
      throw error;
    });
    if (score === undefined || "kind" in score || score.hard !== 1) return { passed: false, late };
  }
  return { passed: true, late };
}
