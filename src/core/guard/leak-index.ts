import { allTasks } from "../tasks/few-tasks.ts";
import { oncePerTask } from "../tasks/once-per-task.ts";
import type { Splits, Task } from "../tasks/task.ts";
import { type Secret, taskSecrets } from "./leak-secrets.ts";
import { droppedExact, droppedLoose, droppedMarks, formWithout } from "./leak-views.ts";
import { connectives, isTopicWord, wordKey, wordWeight } from "./leak-words.ts";
import { patternLiterals, patternText } from "./pattern-text.ts";
import { readVisible } from "./visible-text.ts";

/** The source of a secret: its task's position, and the field. */
export interface Owner {
  readonly task: number;
  readonly field: string;
}

/** A short secret. A longer answer is one too, but only so that its tasks are counted. */
export interface Phrase {
  /** Task → field. */
  readonly owners: ReadonlyMap<number, string>;
  /** It's something that an answer should contain, not a whole answer. */
  readonly isDemanded: boolean;
  /** So many tasks share it that any general rule has to name it: a class label, `yes`. */
  readonly isVocabulary: boolean;
  /** A code, or a rare label in a set of shared ones. Rules name it too, though only one task has it. */
  readonly isLabel: boolean;
  /** So unusual that no rule contains it by chance. */
  readonly isDistinctive: boolean;
}

/** A text of many words, or the words of a pattern. */
export interface Passage extends Owner {
  readonly words: readonly string[];
  readonly isPattern: boolean;
}

/** The position of three words in a passage, and whether they're hidden from the target. */
export interface Posting {
  readonly passage: number;
  readonly position: number;
  readonly isHidden: boolean;
}

/** Code rather than words, in the form used for comparison. */
export interface Source extends Owner {
  readonly form: string;
}

/** The index that `findLeak` searches, built once for a set of tasks. */
export interface LeakIndex {
  readonly taskIds: readonly string[];
  readonly phrases: ReadonlyMap<string, Phrase>;
  /** Distinctive phrases without blanks and marks, by their first characters. */
  readonly squashed: ReadonlyMap<string, readonly Source[]>;
  readonly passages: readonly Passage[];
  /** Three words → their positions in passages. */
  readonly passagesByWords: ReadonlyMap<string, readonly Posting[]>;
  readonly exactSources: ReadonlyMap<string, readonly Source[]>;
  readonly looseSources: ReadonlyMap<string, readonly Source[]>;
  /** A word that few inputs contain → their tasks. */
  readonly tasksByWord: ReadonlyMap<string, readonly number[]>;
  /** How many such words the input of each task has. */
  readonly rareWords: readonly number[];
  readonly tasksById: ReadonlyMap<string, number>;
  /** The first words of an input → the tasks that begin with them, with all words of their inputs. */
  readonly questions: ReadonlyMap<string, readonly IndexedQuestion[]>;
}

export interface IndexedQuestion {
  readonly task: number;
  readonly words: readonly string[];
}

export const prefixLength = 4;
export const maxPhraseWords = 4;

/** Indexes secrets of the tasks of all splits: content that their targets don't see. */
export function buildLeakIndex(
  tasks: readonly Task[],
  secretsOf: (task: Task) => readonly Secret[] = taskSecrets,
): LeakIndex {
  const contract = readVisible([...new Set(tasks.map(({ system = "" }) => system))]);
  const drafts = new Map<string, PhraseDraft>();
  const passages = new Map<string, PassageDraft>();
  const exactSources = new Map<string, SharedSource>();
  const looseSources = new Map<string, SharedSource>();

  for (const [task, each] of tasks.entries()) {
    const own = readVisible([each.input, ...Object.values(each.files ?? {})]);
    const isVisible = (key: string) => own.holds(key) || contract.holds(key);
    const areVisible = (three: string) => own.holdsThree(three) || contract.holdsThree(three);
    const isVisibleCode = (text: string) => own.holdsCode(text) || contract.holdsCode(text);
    for (const secret of secretsOf(each)) {
      const owner = { task, field: secret.field };
      if (secret.kind === "pattern" && isVisibleCode(secret.text)) continue;
      const [exact, loose] = [exactForm(secret), looseForm(secret)];
      if ((exact !== undefined || loose !== undefined) && !isVisibleCode(secret.text)) {
        addSource(exactSources, exact, owner);
        addSource(looseSources, loose, owner);
      }
      addPhrases(drafts, secret, owner, isVisible);
      addPassage(passages, secret, owner, areVisible);
    }
  }

  const phrases = settlePhrases(drafts, tasks.length);
  const isSetPhrase = (key: string) => phrases.get(key)?.isVocabulary === true;
  // a long answer shared by many tasks is a set phrase; a shared rubric is still a rubric
  const kept = [...passages].flatMap(([key, draft]) => (draft.isAnswer && isSetPhrase(key) ? [] : [draft]));
  return {
    taskIds: tasks.map(({ id }) => id),
    phrases,
    squashed: byPrefix(squashPhrases(phrases)),
    passages: kept,
    passagesByWords: indexPassages(kept),
    exactSources: byPrefix([...exactSources.values()]),
    looseSources: byPrefix(
      [...looseSources.values()].filter(({ owners }) => !isShared(owners.size, tasks.length)),
    ),
    ...indexInputs(tasks),
  };
}

interface SharedSource extends Source {
  readonly owners: Set<number>;
}

function addSource(sources: Map<string, SharedSource>, form: string | undefined, owner: Owner): void {
  if (form === undefined) return;
  const known = sources.get(form);
  if (known === undefined) sources.set(form, { ...owner, form, owners: new Set([owner.task]) });
  else known.owners.add(owner.task);
}

/** A pattern whose special characters show that it is one, so it isn't there by chance. */
function exactForm({ kind, text }: Secret): string | undefined {
  if (kind !== "pattern") return undefined;
  const form = formWithout(droppedExact, text);
  const bare = form.replace(/^\(\?[a-z]+\)/, "");
  const shown = /[\\^$[({|*+?]/.test(bare) ? bare : form;
  return shown.length >= prefixLength && /[\\^$[({|*+?]/.test(shown) ? shown : undefined;
}

/** The same without escapes and anchors, and other code (formulas, commands), if any special characters remain. */
function looseForm({ kind, text }: Secret): string | undefined {
  if (kind === "prose" || isIdentifier.test(text.trim())) return undefined;
  const plain =
    kind === "pattern" ? text.replace(/^\(\?[a-z]+\)/, "").replaceAll(/\\s[*+?]?|\\b/g, "") : text;
  const form = formWithout(droppedLoose, plain);
  const marks = form.match(/[^\p{L}\p{M}\p{N}]/gu) ?? [];
  if (marks.length < 2 || !marks.some((mark) => /[[\](){}|*+=<>@#%&~/_]|--/.test(mark))) return undefined;
  return form.length >= 8 || (form.length >= prefixLength && marks.length >= 3) ? form : undefined;
}

/** HVY, SICK-N, A-123: capitals and a few digits. */
const isCode = /^(?=.*\p{Lu})[\p{Lu}\d]{1,5}(?:[-_./][\p{Lu}\d]{1,4})?$/u;

const isIdentifier = /^[\p{L}\p{N}]+(?:[-_ ][\p{L}\p{N}]+)*$/u;

interface PhraseDraft {
  readonly owners: Map<number, string>;
  readonly isCode: boolean;
  readonly isDistinctive: boolean;
  readonly isDemanded: boolean;
}

function addPhrases(
  drafts: Map<string, PhraseDraft>,
  { kind, text, field }: Secret,
  { task }: Owner,
  isVisible: (key: string) => boolean,
): void {
  for (const literal of kind === "pattern" ? patternLiterals(text) : [text]) {
    const key = wordKey(literal);
    const words = key.split(" ");
    const isLong = words.length > maxPhraseWords;
    if (key === "" || (isLong && kind !== "answer") || isVisible(key)) continue;
    const known = drafts.get(key);
    const owners = known?.owners ?? new Map<number, string>();
    if (!owners.has(task)) owners.set(task, field);
    drafts.set(key, {
      owners,
      isCode: isCode.test(literal.trim()),
      isDistinctive: known?.isDistinctive ?? (!isLong && isDistinctive(literal, words, kind)),
      isDemanded: known?.isDemanded === true || kind !== "answer",
    });
  }
}

interface PassageDraft extends Passage {
  readonly isAnswer: boolean;
  /** For each word, whether it and the next two are hidden from the target. */
  readonly hidden: readonly boolean[];
}

function addPassage(
  passages: Map<string, PassageDraft>,
  { kind, text }: Secret,
  owner: Owner,
  areVisible: (three: string) => boolean,
): void {
  const isPattern = kind === "pattern";
  const key = wordKey(isPattern ? patternText(text) : text);
  const words = key.split(" ").filter((word) => !connectives.has(word));
  if (words.length < 3 || passages.has(key)) return;
  const hidden = words.slice(2).map((last, at) => !areVisible(`${words[at]} ${words[at + 1]} ${last}`));
  if (!hidden.includes(true)) return;
  passages.set(key, { ...owner, words, isPattern, isAnswer: kind === "answer", hidden });
}

/** Too unusual to occur by chance: a long number, a pass code, a full name, three telling words in a row. */
function isDistinctive(text: string, words: readonly string[], kind: Secret["kind"]): boolean {
  const digits = words.join("").replaceAll(/\D/g, "").length;
  if (digits >= 5 || (digits >= 4 && words.some((word) => /^\d+\.\d+$/.test(word)))) return true;
  if (words.some((word) => word.length >= 5 && (word.match(/\d(?=\p{L})|\p{L}(?=\d)/gu) ?? []).length >= 3))
    return true;
  if (words.reduce((sum, word) => sum + wordWeight(word), 0) >= 3) return true;
  return (
    kind === "answer" &&
    /^(?:\p{Lu}\p{Ll}+[\s-]+)+\p{Lu}\p{Ll}+$/u.test(text.trim()) &&
    formWithout(droppedMarks, text).length >= 10
  );
}

const universal: ReadonlySet<string> = new Set(
  "yes no true false null none nothing unknown other n a ok pass fail 0 1 2 3 4 5 6 7 8 9 10".split(" "),
);

/** Content shared by three tasks is vocabulary; so is content shared by two, if they're at least one in twenty. */
const isShared = (count: number, tasks: number): boolean =>
  count >= 3 || (count === 2 && count * 20 >= tasks);

function settlePhrases(drafts: ReadonlyMap<string, PhraseDraft>, tasks: number): ReadonlyMap<string, Phrase> {
  const shared = [...drafts].filter(
    ([key, { owners }]) => !universal.has(key) && isShared(owners.size, tasks),
  );
  const labelled = new Set(shared.flatMap(([, { owners }]) => [...owners.keys()]));
  // if labels answer a quarter of the tasks, a rare answer is a rare label
  const isLabelSet = labelled.size * 4 >= tasks;
  const settled = [...drafts].map(([key, { owners, isDemanded, isCode, isDistinctive }]) => {
    const isVocabulary = universal.has(key) || isShared(owners.size, tasks);
    const isLabel = isCode || isLabelSet;
    const phrase = { owners, isDemanded, isVocabulary, isLabel };
    return [key, { ...phrase, isDistinctive: isDistinctive && !isVocabulary && !isLabelSet }] as const;
  });
  return new Map(settled);
}

function squashPhrases(phrases: ReadonlyMap<string, Phrase>): readonly Source[] {
  return [...phrases].flatMap(([key, { isDistinctive, owners }]) => {
    const [owner] = owners;
    const form = formWithout(droppedMarks, key);
    return isDistinctive && owner !== undefined && form.length >= 8
      ? [{ task: owner[0], field: owner[1], form }]
      : [];
  });
}

const byPrefix = (sources: readonly Source[]): ReadonlyMap<string, readonly Source[]> =>
  Map.groupBy(sources, ({ form }) => form.slice(0, prefixLength));

function indexPassages(passages: readonly PassageDraft[]): ReadonlyMap<string, readonly Posting[]> {
  const index = new Map<string, Posting[]>();
  for (const [passage, { words, hidden }] of passages.entries()) {
    for (const [position, isHidden] of hidden.entries()) {
      const key = `${words[position]} ${words[position + 1]} ${words[position + 2]}`;
      const postings = index.get(key);
      if (postings === undefined) index.set(key, [{ passage, position, isHidden }]);
      else postings.push({ passage, position, isHidden });
    }
  }
  return index;
}

const inputKey = oncePerTask(({ input }) => wordKey(input));

function indexInputs(
  tasks: readonly Task[],
): Pick<LeakIndex, "tasksByWord" | "rareWords" | "tasksById" | "questions"> {
  const inputs = tasks.map((one, task): IndexedQuestion => ({ task, words: inputKey(one).split(" ") }));
  const tasksByWord = new Map<string, number[]>();
  for (const { task, words } of inputs) {
    for (const word of new Set(words)) {
      if (!isTopicWord(word)) continue;
      const holders = tasksByWord.get(word);
      if (holders === undefined) tasksByWord.set(word, [task]);
      else holders.push(task);
    }
  }
  const common = Math.max(2, Math.ceil(tasks.length / 200));
  const rareWords = tasks.map(() => 0);
  for (const [word, holders] of tasksByWord) {
    if (holders.length > common) tasksByWord.delete(word);
    else for (const task of holders) rareWords[task] = (rareWords[task] ?? 0) + 1;
  }
  // an id such as "7" isn't telling; "trivia-04" is
  const ids = tasks.map(({ id }, task) => [wordKey(id), task] as const);
  const tellingIds = ids.filter(([key]) => /\p{L}.*\d|\d.*\p{L}/u.test(key));
  const questions = Map.groupBy(inputs, ({ words }) => words.slice(0, maxPhraseWords).join(" "));
  return { tasksByWord, rareWords, tasksById: new Map(tellingIds), questions };
}

/** Built once for the same tasks, however often a run is rehearsed. */
export function leaksOf(splits: Splits): LeakIndex {
  const index = leakIndexes.get(splits) ?? buildLeakIndex(allTasks(splits));
  leakIndexes.set(splits, index);
  return index;
}

const leakIndexes = new WeakMap<Splits, LeakIndex>();
