import { canonicalJson } from "../canonical.ts";
import { asJson } from "../json.ts";
import type { ScoreAside } from "../ports/scoring.ts";
import type { Check, Task } from "../tasks/task.ts";
import { normaliseAnswer } from "./normalise.ts";
import { passesTask } from "./passes-task.ts";
import { isAsked, readsText } from "./runnable.ts";
import { said } from "./score-task.ts";
import { setMembers } from "./set-members.ts";

/** The values that a set of tasks expects in its answers: `bug`, `feature`, `docs`. */
export interface OwnValues {
  /** Values that a check looks for inside an answer, so that one answer can list several. */
  readonly listable: ReadonlySet<string>;
  /** Values that a text contains, as the checks see it. "invalid" doesn't list "valid", but "valid, invalid" does. */
  inText(text: string): Promise<ReadonlySet<string>>;
  /** Whether a text lists at least two of them, and more than half. */
  isJoined(text: string): Promise<boolean>;
}

export function ownValues(tasks: readonly Task[], aside?: ScoreAside): OwnValues {
  const wanted = new Map<string, Wanted>();
  for (const task of tasks) {
    const name = valueOf(task);
    const checks = textChecks(task);
    const texts = checks.filter(isSearching).flatMap(textsIn);
    if (name === undefined || !checks.some(isSearching)) continue;
    const before = wanted.get(name)?.checks ?? new Map<string, readonly Check[]>();
    wanted.set(name, { checks: before.set(canonicalJson(asJson(checks)), checks), texts });
  }
  const all = [...wanted];
  const every = Math.ceil(all.length / mostValues);
  const values = all.filter((_, at) => at % every === 0);
  const found = new Map<string, Promise<ReadonlySet<string>>>();
  let late = 0;
  const passes = async ({ checks }: Wanted, text: string): Promise<boolean> => {
    for (const list of checks.values()) {
      // patterns that take a second each would add up to minutes
      if (late >= mostLate) return false;
      const tried = await passesTask({ id: "", input: "", checks: list }, said(text), { aside });
      if (tried.late) late += 1;
      if (tried.passed) return true;
    }
    return false;
  };
  /** Whether a value only occurs as part of another one. */
  const isPartOf = async (part: Wanted, whole: Wanted, text: string): Promise<boolean> =>
    (await passes(part, whole.texts.join(" "))) && !(await passes(part, cut(text, whole.texts)));
  const look = async (text: string): Promise<ReadonlySet<string>> => {
    const there: (typeof values)[number][] = [];
    for (const value of values) if (await passes(value[1], text)) there.push(value);
    const alone = new Set(there.map(([name]) => name));
    for (const [name, part] of there)
      for (const [other, whole] of there)
        if (other !== name && alone.has(other) && (await isPartOf(part, whole, text))) {
          alone.delete(name);
          break;
        }
    return alone;
  };
  const inText = (text: string): Promise<ReadonlySet<string>> => {
    const known = found.get(text) ?? look(text);
    found.set(text, known);
    return known;
  };
  return {
    listable: new Set(values.map(([name]) => name)),
    inText,
    async isJoined(text) {
      const { size } = await inText(text);
      return size >= 2 && 2 * size > values.length;
    },
  };
}

interface Wanted {
  /** The checks that tasks with this value run on the answer, with one list for each way to check it. */
  readonly checks: Map<string, readonly Check[]>;
  readonly texts: readonly string[];
}

/** Values to try an answer on, which is enough to estimate a share. */
const mostValues = 50;
const mostLate = 3;

/** A task's expectation, with a name that equal expectations share; undefined if no check asks for words. */
export function valueOf(task: Task): string | undefined {
  const text = normaliseAnswer(ownText(task));
  if (text !== "") return text;
  const asking = textChecks(task).filter(({ negate = false }) => !negate);
  return asking.length === 0 ? undefined : canonicalJson(asJson(asking));
}

/** An answer made from the task's own expectations; empty if its checks don't spell one out. */
export const ownText = ({ answers = [], checks = [] }: Task, kinds?: readonly string[]): string =>
  answers[0] ??
  checks
    .filter(({ kind }) => kinds?.includes(kind) ?? true)
    .flatMap(textsIn)
    .join("\n");

/** Checks that only read the answer's text and make no calls. */
const textChecks = ({ checks = [] }: Task): readonly Check[] =>
  checks.filter((check) => readsText(check) && !isAsked(check));

/** Looks for something inside an answer, so that a longer answer passes more such checks. */
function isSearching(check: Check): boolean {
  const members = setMembers(check);
  if (check.negate === true) return false;
  return members.length > 0
    ? members.every(isSearching)
    : ["contains", "icontains", "regex"].includes(check.kind);
}

/** The words that a check of the answer spells out. */
function textsIn(check: Check): readonly string[] {
  const { kind, value, negate = false } = check;
  if (negate || !readsText(check)) return [];
  const fields = Object(value) as Readonly<Record<string, unknown>>;
  const [first] = setMembers(check);
  if (kind === "any") return first === undefined ? [] : textsIn(first);
  if (kind === "all") return setMembers(check).flatMap(textsIn);
  const texts: Readonly<Record<string, readonly unknown[]>> = {
    exact: [value],
    contains: [value],
    icontains: [value],
    "starts-with": [value],
    f1: [fields["text"]],
    number: [typeof value === "number" ? value : fields["value"]].map(String),
    regex: [spelledOut(typeof value === "string" ? value : fields["pattern"])],
    section: [value, fields["heading"], fields["contains"]],
  };
  return (texts[kind] ?? []).filter((text) => typeof text === "string");
}

/** The only text that a pattern can match, such as `7` for `\b7\b`; undefined if several match. */
function spelledOut(pattern: unknown): string | undefined {
  const bare = String(pattern).replaceAll(/\\b|^\^|\$$|\(\?:|(?<!\\)[()]/g, "");
  return /(?<!\\)[.*+?^$[\]{}|]|\\\w/.test(bare) ? undefined : bare.replaceAll(/\\(\W)/g, "$1");
}

const cut = (text: string, parts: readonly string[]): string =>
  parts.reduce(
    (left, part) =>
      left.replaceAll(new RegExp(part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), "gi"), " "),
    text,
  );
