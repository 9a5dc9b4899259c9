import { isBinary } from "../files.ts";
import type { Skill } from "../skill/skill.ts";
import type { Check, SplitName, Splits, Task } from "../tasks/task.ts";
import { buildLeakIndex } from "./leak-index.ts";
import { type Secret, taskSecrets } from "./leak-secrets.ts";
import { type Leak, findLeaks } from "./leak.ts";
import { wordKey } from "./leak-words.ts";
import { patternLiterals } from "./pattern-text.ts";

/** An answer of a val or test task that a skill contains before its training. */
export interface SeedLeak {
  readonly file: string;
  readonly split: SplitName;
  readonly leak: Leak;
}

/**
 * Finds the first such answer. Only answers count, because rules and rubrics say the same things. A person's text in the
 * main file counts only if it's a plain copy, and secrets of train tasks don't count at all.
 */
export function findSeedLeak(
  { main, files }: Skill,
  { train, val, test }: Splits,
  isWaived: (file: string) => boolean,
): SeedLeak | undefined {
  const heldOut = new Map<string, { readonly split: SplitName; readonly task: Task }>();
  for (const task of val) heldOut.set(task.id, { split: "val", task });
  for (const task of test) heldOut.set(task.id, { split: "test", task });
  if (heldOut.size === 0) return undefined;
  // a shared answer is reported for its first task; train is included because it shows which answers are mere labels
  const index = buildLeakIndex([...test, ...val, ...train], answersOf);
  for (const file of [main, ...Object.keys(files).toSorted()]) {
    const content = files[file] ?? "";
    if (isBinary(content) || isWaived(file)) continue;
    for (const leak of findLeaks(content, index)) {
      const owner = heldOut.get(leak.taskId);
      if (owner === undefined || isChance(leak, owner.task)) continue;
      if (file !== main || isPlainCopy(leak)) return { file, split: owner.split, leak };
    }
  }
  return undefined;
}

/** The expected answers, whole or in part, including patterns that are plain text. */
function answersOf(task: Task): readonly Secret[] {
  const asked = task.checks?.map(
    (check): Check => (check.negate === true ? { kind: "unsupported", value: null } : check),
  );
  return taskSecrets({ ...task, ...(asked === undefined ? {} : { checks: asked }) }).flatMap(
    ({ kind, field, text }) => {
      if (kind === "prose") return [];
      const texts = kind === "pattern" ? patternLiterals(text) : [text];
      return texts.map((each): Secret => ({ kind: "answer", field, text: each }));
    },
  );
}

/** A question such as "Refund" is also a word in any rule about it. */
function isChance({ how, text }: Leak, { input }: Task): boolean {
  const question = wordKey(input);
  return how === "quoted" && question.split(" ").length < 4 && wordKey(text).startsWith(question);
}

const isPlainCopy = ({ how, text }: Leak): boolean =>
  how === "quoted" || (how === "list" && text.split(/[,;|/\n]|\band\b|\bor\b/).length >= fewAnswers);

/** A rule may well name fewer answers than this. */
const fewAnswers = 8;
