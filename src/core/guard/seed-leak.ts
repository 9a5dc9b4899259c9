import { isBinary } from "../files.ts";
import type { Skill } from "../skill/skill.ts";
import type { Check, SplitName, Splits, Task } from "../tasks/task.ts";
import { buildLeakIndex } from "./leak-index.ts";
import { type Secret, taskSecrets } from "./leak-secrets.ts";
import { type Leak, findLeaks } from "./leak.ts";
import { wordKey } from "./leak-words.ts";
import { patternLiterals } from "./pattern-text.ts";

/** An answer of a val or test task that a skill holds before it is trained. */
export interface SeedLeak {
  readonly file: string;
  readonly split: SplitName;
  readonly leak: Leak;
}

/**
 * The first such answer. Rules and rubrics say the same things, so only answers count; what a person wrote into the main
 * file counts only as a plain copy, and what a train task knows does not count at all.
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
  // where tasks share an answer it is told of the first of them; train is there because it shows what is a mere label
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

/** What the target should say, whole or in part; a pattern that is nothing but text says it too. */
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

/** "Refund" is a question of some tasks and a word of any rule about them. */
function isChance({ how, text }: Leak, { input }: Task): boolean {
  const question = wordKey(input);
  return how === "quoted" && question.split(" ").length < 4 && wordKey(text).startsWith(question);
}

const isPlainCopy = ({ how, text }: Leak): boolean =>
  how === "quoted" || (how === "list" && text.split(/[,;|/\n]|\band\b|\bor\b/).length >= fewAnswers);

/** A rule may well name some of the answers. */
const fewAnswers = 8;
