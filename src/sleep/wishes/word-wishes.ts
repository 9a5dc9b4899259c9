import type { Context } from "../../core/context.ts";
import { sharesText } from "../../core/guard/shared-text.ts";
import type { Place } from "../../core/place.ts";
import { createFence } from "../../core/prompts/fence.ts";
import { type WordedWish, wordWishesPrompt } from "../../core/prompts/word-wishes.ts";
import { seededRandom, shuffle } from "../../core/random.ts";
import { oneLine } from "../../core/one-line.ts";
import { mainText } from "../../core/skill/skill.ts";
import { askModel } from "../../core/stages/ask-model.ts";
import { joinSections } from "../../core/stages/optimizer-text.ts";
import { fairShare, trimMiddle } from "../../core/trim.ts";
import { isNoBetter, ownTasks, standsAlone } from "../../core/rules/evidence/standing.ts";
import { type TaskEvidence, tossDifference } from "../../core/rules/evidence/toss.ts";
import { findAddresses, findPaths } from "../../core/guard/powers/addresses.ts";
import { findCommands } from "../../core/guard/powers/commands.ts";
import { readPowerText } from "../../core/guard/powers/power-text.ts";
import { rankOf } from "../../core/guard/powers/rank.ts";
import { applyRules } from "../../core/rules/learned/apply-rules.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import { readRules, ruleText } from "../../core/rules/learned/learned-block.ts";
import type { LearnedRule } from "../../core/rules/learned/learned-rule.ts";
import { type MemoryInput, findQuoted, memoryBeside, withMemory } from "./compare-memory.ts";
import { isPlainlySame, readPlain, readWish } from "./plainly-same.ts";
import { checkNewWordings } from "./check-wordings.ts";
import { saidLine } from "./said-line.ts";
import {
  type Wish,
  type WishSentence,
  type Wording,
  conversationsOf,
  firstWording,
  isStanding,
  relapsesOf,
  textsOf,
} from "./wish.ts";
import { daysText } from "./wish-words.ts";

export interface WordingInput extends MemoryInput {
  readonly wishes: readonly Wish[];
  /** Ids of the wishes that were said tonight. Only these are worded. */
  readonly spoken: ReadonlySet<string>;
  /** The rules of earlier nights, with the evidence for their wordings. */
  readonly rules: readonly LearnedRule[];
  /** Fingerprints of text from tools and the web. */
  readonly untrusted: ReadonlySet<string>;
  readonly seed: number;
  /** When the night started, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Words tonight's open wishes with one call, if they don't have a wording or if theirs was measured without effect. It proposes
 * nothing that a document already says. A wording is made from all sentences, but from the occasions of only some
 * conversations, so that the others can test it.
 */
export async function wordWishes(given: WordingInput, context: Context): Promise<readonly Wish[]> {
  const former = given.wishes.flatMap((wish) => (wish.state.kind === "open" ? (wish.former ?? []) : []));
  const edits = former.map((target) => ({ edit: { op: "delete", target } as const }));
  // a rule that a wish replaces doesn't count as saying it already
  const documents = given.documents.map((one) => ({ ...one, skill: applyRules(one, edits).skill }));
  const input = { ...given, documents };
  const lines = input.documents.flatMap(linesOf);
  const checked = input.wishes
    .map((wish) => (isUnsaid(wish, input) ? { ...wish, state: taken(wish, input.at) } : wish))
    .map((wish) => (wish.state.kind === "open" ? foundIn(wish, lines, input.at) : wish))
    .map((wish) => withRival(wish, input.rules));
  const open = checked
    .map((wish) => ({ wish, vain: vainWordings(wish, input.rules) }))
    .filter((one) => needsWords(one, input))
    .map((one) => ({ ...one, from: drawFrom(one, input.seed) }));
  if (open.length === 0) return checked;
  const place: Place = { role: "optimizer", step: 0, stage: "mine" };
  const reply = await askModel(wordWishesPrompt, wordingText(open, input), place, context);
  const made = open.map((one, at) => {
    const found = reply?.wishes.find(({ wish }) => wish === at + 1);
    return foundIn(withWording(one, found, input), lines, input.at);
  });
  const isNew = (wish: Wish) => wish.state.kind === "open" && !input.wishes.some((one) => one === wish);
  const worded = new Map(
    [...made.filter((wish) => !isNew(wish)), ...(await checkNewWordings(made.filter(isNew), context))].map(
      (wish) => [wish.id, wish],
    ),
  );
  return checked.map((wish) => worded.get(wish.id) ?? wish);
}

/** Whether tonight's documents should say it but no longer do. */
const isUnsaid = (wish: Wish, input: WordingInput): boolean => {
  const { quote } = wish.state;
  const documents = documentsOf(wish, input);
  return (
    quote !== undefined &&
    documents.length > 0 &&
    documents.every(({ skill }) => !mainText(skill).includes(quote)) &&
    memoryBeside(wish, input).every(({ text }) => !text.includes(quote))
  );
};

const taken = ({ state }: Wish, at: number): Wish["state"] => ({
  kind: "open",
  at,
  reason: `It's no longer there: ${state.reason}`,
});

/** A wish with its wordings that were measured without effect. */
interface TriedWish {
  readonly wish: Wish;
  readonly vain: readonly string[];
}

/** Replaces a wording without effect by an optimizer's rule for the same habit that did better in the same tosses. */
function withRival(wish: Wish, rules: readonly LearnedRule[]): Wish {
  const first = firstWording(wish);
  if (first === undefined || first.by === "chosen" || !vainWordings(wish, rules).includes(first.text))
    return wish;
  const rivals = rules.filter((rule) => isRival(rule, wish) && gainOf(rule.evidence) > 0);
  const best = rivals.toSorted((a, b) => gainOf(b.evidence) - gainOf(a.evidence))[0];
  if (best === undefined || best.edit.op === "delete") return wish;
  const wording = { text: best.edit.text, by: "proposed" as const, from: best.provenance.conversations };
  return { ...wish, wordings: [wording, ...wish.wordings] };
}

/** Whether it's an optimizer's rule for an open wish's habit, and so another wording of it. */
export const isRival = (
  { wish: name, origin, status, edit }: Pick<LearnedRule, "wish" | "origin" | "status" | "edit">,
  { id, state, wordings }: Wish,
): boolean =>
  name === id &&
  origin === "learned" &&
  status === "open" &&
  state.kind === "open" &&
  edit.op === "add" &&
  wordings.every(({ text }) => text !== edit.text);

/** Few, because every extra wording may look good by chance. */
const mostWordings = 3;

function needsWords({ wish, vain }: TriedWish, { spoken }: WordingInput): boolean {
  const { id, state, documents, relapsed = [] } = wish;
  if (state.kind !== "open" || documents.length === 0 || !spoken.has(id) || !isStanding(wish)) return false;
  const first = firstWording(wish);
  // a program doesn't change the person's choice unless agents broke it
  const isFixed = first?.by === "chosen" && !isTried(first, relapsed);
  return first === undefined || (!isFixed && isTried(first, vain) && vain.length < mostWordings);
}

const isTried = ({ text }: Wording, vain: readonly string[]): boolean => vain.includes(text);

/** Wordings that agents broke, that did harm, or that didn't help on two tasks of the wish. */
export const vainWordings = ({ id, relapsed }: Wish, rules: readonly LearnedRule[]): readonly string[] => [
  ...new Set([
    ...(relapsed ?? []),
    ...rules.flatMap(({ wish, edit, status, evidence }) =>
      wish === id && edit.op !== "delete" && status !== "proven" && isVain(evidence) ? [edit.text] : [],
    ),
  ]),
];

const isVain = (evidence: readonly TaskEvidence[]): boolean =>
  standsAlone(evidence) === "harms" || isNoBetter(gainsIn(evidence));

const gainsIn = (evidence: readonly TaskEvidence[]): readonly number[] =>
  ownTasks(evidence).map(({ tosses }) => tossDifference(tosses));

const gainOf = (evidence: readonly TaskEvidence[]): number =>
  gainsIn(evidence).reduce((sum, gain) => sum + gain, 0);

/**
 * Reopens an adopted wish once agents broke its rule in two conversations. The next night then proposes another wording, up
 * to the usual number of wordings.
 */
export function reopenRelapsed(
  wish: Wish,
  { documents, rules, at }: Pick<WordingInput, "documents" | "rules" | "at">,
): Wish {
  const times = relapsesOf(wish).length;
  const written = documentsOf(wish, { documents }).flatMap(({ skill }) => readRules(mainText(skill)));
  const broken = written.find((text) => textsOf(wish).includes(text));
  if (times < 2 || broken === undefined || wish.state.quote !== undefined) return wish;
  const again = times === 2 ? "twice" : `${times} times`;
  const reason = `You adopted it on ${daysText([wish.state.at])} and had to say it again ${again} since.`;
  const relapsed = [...(wish.relapsed ?? []), broken];
  const state = { ...wish.state, kind: "open", at, reason } as const;
  const opened = { ...wish, former: textsOf(wish), relapsed, turnedAt: at, state };
  return vainWordings(opened, rules).length < mostWordings ? opened : wish;
}

/** A wish with the sentences whose occasions may be used for its wording. */
interface OpenWish extends TriedWish {
  readonly from: readonly WishSentence[];
}

/** The sentences of a third of its conversations, at least one, drawn by the wish's id and its number of failed wordings. */
function drawFrom({ wish, vain }: TriedWish, seed: number): readonly WishSentence[] {
  const all = conversationsOf(wish);
  const random = seededRandom("wish-wording", seed, wish.id, ...(vain.length === 0 ? [] : [vain.length]));
  const drawn = new Set(shuffle(all, random).slice(0, Math.max(1, Math.floor(all.length / 3))));
  return wish.said.filter(({ conversation }) => drawn.has(conversation));
}

/** Marks a wish as adopted if a document says it in the same words. */
function foundIn(wish: Wish, lines: readonly DocumentLine[], at: number): Wish {
  if (wish.state.kind !== "open") return wish;
  const texts = readWish(wish);
  const found = lines.find(
    ({ document, read }) =>
      wish.documents.includes(document.id) && texts.some((text) => isPlainlySame(text, read)),
  );
  return found === undefined ? wish : saidBy(wish, found.document, found.line, at);
}

interface DocumentLine {
  readonly document: Document;
  readonly line: string;
  readonly read: string;
}

const documentsOf = ({ documents }: Wish, input: Pick<WordingInput, "documents">): readonly Document[] =>
  input.documents.filter(({ id }) => documents.includes(id));

/** The lines of a document, without headings and markers. */
const linesOf = (document: Document): readonly DocumentLine[] =>
  mainText(document.skill)
    .split(/\r?\n/)
    .map((line) => line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("<!--"))
    .map((line) => ({ document, line, read: readPlain(line) }));

const saidBy = (wish: Wish, { name }: Document, quote: string, at: number): Wish => ({
  ...wish,
  state: { kind: "adopted", at, reason: `${name} says it already.`, quote },
});

/** Uses the reply's wording if it adds nothing to what was said, else the person's own words. */
function withWording(
  { wish, vain, from }: OpenWish,
  found: WordedWish | undefined,
  input: WordingInput,
): Wish {
  const documents = documentsOf(wish, input);
  const { already = [], opposite = [] } = found ?? {};
  const saying = (quote: string) => documents.find(({ skill }) => mainText(skill).includes(quote));
  const isSaid = opposite.every((quote) => saying(quote) === undefined);
  for (const quote of already) {
    const home = isSaid && quote.length > 3 ? saying(quote) : undefined;
    if (home !== undefined) return saidBy(wish, home, quote, input.at);
  }
  const compared = withMemory(wish, findQuoted(wish, { already, opposite }, input), input);
  const text = ruleText(oneLine(found?.rule ?? ""));
  // this wish replaces a learned rule that says the opposite
  const learned = new Set(documents.flatMap(({ skill }) => readRules(mainText(skill))));
  const against = opposite.map(ruleText).filter((line) => learned.has(line));
  const turned = against.length > 0 ? { former: [...new Set([...(wish.former ?? []), ...against])] } : {};
  const made = { from: madeFrom(text, from, wish) };
  const own = ownWords(from);
  const wordings = [
    ...(isKept(text, wish.said, documents, input) ? [{ text, by: "proposed" as const, ...made }] : []),
    ...(own === undefined || own === text ? [] : [{ text: own, by: "own" as const, ...made }]),
  ].filter((wording) => !isTried(wording, vain));
  // without a better wording, keep the measured one and its evidence
  if (wordings.length === 0) return compared;
  // a correction alone isn't a rule
  return wordings.length === 1 && wordings[0]?.by === "own" && from.every(({ isRule }) => !isRule)
    ? compared
    : { ...compared, ...turned, wordings };
}

/** The conversations whose occasions were shown, or that a number in the wording comes from. Their tasks never count for it. */
function madeFrom(text: string, from: readonly WishSentence[], { said }: Wish): readonly string[] {
  const numbers = text.match(/[\p{L}\p{N}._-]*\p{N}[\p{L}\p{N}._-]*/gu) ?? [];
  const copied = said.filter((one) => numbers.some((number) => one.text.includes(number)));
  return [...new Set([...from, ...copied].map(({ conversation }) => conversation))].toSorted();
}

/** The last sentence that states a rule, else the last sentence. */
const ownWords = (said: readonly WishSentence[]): string | undefined =>
  ruleText(said.findLast(({ isRule }) => isRule)?.text ?? said.at(-1)?.text ?? "") || undefined;

/** Whether a wording adds nothing risky that neither the person nor the file has said. */
function isKept(
  text: string,
  said: readonly WishSentence[],
  documents: readonly Document[],
  { untrusted }: WordingInput,
): boolean {
  if (!/\p{L}/u.test(text) || text.length > maxWording) return false;
  const typed = said.map((sentence) => sentence.text);
  const known = new Set([...typed, ...documents.map(({ skill }) => mainText(skill))].flatMap(effectsIn));
  return effectsIn(text).every((effect) => known.has(effect)) && !sharesText(text, untrusted, typed);
}

/** Addresses, outside paths, pipes and installs, which a model must not add. */
function effectsIn(text: string): readonly string[] {
  const read = readPowerText(text);
  // "install packages with pnpm" in prose doesn't install a named package
  const isNamed = (words: string) => text.includes("`") || words.includes("|");
  return [...findAddresses(read), ...findPaths(read), ...findCommands(read)].flatMap(({ kind, words }) =>
    rankOf(kind, words) === "ask" && (kind !== "install" || isNamed(words)) ? [`${kind} ${words}`] : [],
  );
}

const maxWording = 500;

function wordingText(open: readonly OpenWish[], input: WordingInput): string {
  const files = input.documents.filter(({ id }) => open.some(({ wish }) => wish.documents.includes(id)));
  const shown = files.map(({ id, name, skill }) => ({
    id,
    name,
    text: trimMiddle(mainText(skill), Math.floor(fileCharacters / files.length)),
  }));
  const wishes = open.map(({ wish, vain, from }, at) => {
    const names = shown.filter(({ id }) => wish.documents.includes(id)).map(({ name }) => name);
    // the other occasions are used to measure it
    const sentences = wish.said
      .filter(({ text }) => text !== "")
      .map((one) => `  ${saidLine(one, { withOccasion: from.includes(one) })}`);
    const tried = vain.map((text) => `  tried in vain: ${JSON.stringify(text)}`);
    return [`wish ${at + 1}, for ${names.join(" and ")}:`, ...sentences, ...tried].join("\n");
  });
  const beside = new Map(
    open.flatMap(({ wish }) => memoryBeside(wish, input)).map((one) => [one.name, one.text]),
  );
  const sizes = [...beside.values()].map(({ length }) => length);
  const room = fairShare(sizes, fileCharacters);
  const fence = createFence({ shown, memories: [...beside], wishes });
  return joinSections([
    ...shown.map(({ name, text }) => fence.around(`file ${name}`, text.trim() === "" ? "(empty)" : text)),
    ...[...beside].map(([name, text]) => fence.around(`memory ${name}`, trimMiddle(text, room))),
    fence.around("wishes", wishes.join("\n\n")),
    `Word the wishes between the lines with the code ${fence.code}, and reply with the one JSON object.`,
  ]);
}

const fileCharacters = 24_000;
