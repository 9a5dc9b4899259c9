import { hashJson } from "../../core/canonical.ts";
import type { Context } from "../../core/context.ts";
import type { LeakIndex } from "../../core/guard/leak-index.ts";
import { violatesContract } from "../../core/guard/output-contract.ts";
import { editableLength } from "../../core/skill/apply-edits.ts";
import type { Edit } from "../../core/skill/edit.ts";
import { type Skill, mainText } from "../../core/skill/skill.ts";
import { findFileOverrun } from "../../core/skill/token-budgets.ts";
import { refusal } from "../../core/stages/guard-edits.ts";
import { contractsOf } from "../../core/stages/optimizer-text.ts";
import { checkPendingShare } from "../../core/measure/pending-share.ts";
import type { Rolled } from "../../core/stages/rollout.ts";
import { allPatches } from "../../core/stages/reflect.ts";
import { study } from "../../core/stages/study.ts";
import type { Task } from "../../core/tasks/task.ts";
import { applyRules, isStaged } from "../../core/rules/learned/apply-rules.ts";
import { combineEdits } from "../../core/rules/learned/combine-edits.ts";
import type { Measured } from "../../core/rules/evidence/standing.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import { wordingKey } from "../../core/rules/learned/judge-rules.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";
import type { DocumentTasks, GuardEdit, NightRoll, NightSettings, UnmatchedEdit } from "./night-types.ts";
import { editLine, nightPrompts } from "./night-prompts.ts";
import type { Provenance, LearnedRule, LearnedEdit } from "../../core/rules/learned/learned-rule.ts";
import { type LearnedText, toRuleEdits } from "../../core/rules/learned/to-rule-edits.ts";
import { tossRules } from "./toss-rules.ts";
import type { Wish } from "../wishes/wish.ts";
import { isAskedFor, settleByWish, wishBehind, wishRules } from "../wishes/wish-rules.ts";
import { wishText } from "../wishes/wish-words.ts";
import { isRival } from "../wishes/word-wishes.ts";

export interface ConsolidateInput {
  readonly night: string;
  readonly step: number;
  readonly document: Document;
  readonly tasks: DocumentTasks;
  /** This document's rules, of any status, oldest first. */
  readonly rules: readonly LearnedRule[];
  /** The rules of all documents. */
  readonly known: readonly LearnedRule[];
  /** The wishes of all documents, of any state. */
  readonly wishes: readonly Wish[];
  readonly leaks: LeakIndex;
  /** The person's own words about rules, from all wishes. */
  readonly stated: readonly string[];
  readonly untrusted: ReadonlySet<string>;
  readonly preferences: string;
  readonly settings: NightSettings;
  readonly guardRule: GuardEdit;
}

export interface Consolidation {
  readonly document: Document;
  /** The given rules, then the new ones. */
  readonly rules: readonly LearnedRule[];
  readonly unmatched: readonly UnmatchedEdit[];
  /** Ids of rules that must not be proven tonight. */
  readonly unsafe: ReadonlySet<string>;
  readonly rolls: readonly NightRoll[];
  /** Edits that the optimizer proposed. */
  readonly proposed: number;
}

/** One document's night: practise, propose rules, guard them, and measure undecided ones. The results are judged later. */
export async function consolidate(input: ConsolidateInput, night: Context): Promise<Consolidation> {
  const { document, settings } = input;
  const rejected = input.rules.filter(({ status }) => status === "rejected");
  const prompts = nightPrompts({ ...input, rejected }, night.settings.prompts);
  const context = { ...night, settings: { ...night.settings, prompts } };

  const learned = await learn(input, context);
  const book = openBook(input, context);
  for (const rule of learned.rules) book.enter(rule, (edit) => refuseLearned(edit, input, context));

  const { rules, unsafe, rolls } =
    settings.gate === "on"
      ? await tossRules(book.rules(), input, context)
      : { rules: book.rules().map(unverified), unsafe: new Set<string>(), rolls: [] };
  return {
    document,
    rules,
    unsafe,
    unmatched: [...learned.unmatched, ...book.unmatched()],
    rolls: [...learned.rolls, ...rolls],
    proposed: learned.proposed,
  };
}

/** The document as far as it's known before any call: with the rules that are already proven or stated. */
export function foresee(input: ConsolidateInput, context: Context): Skill {
  return applyRules(input.document, openBook(input, context).rules().filter(isStaged)).skill;
}

type Learned = Pick<Consolidation, "rules" | "unmatched" | "rolls" | "proposed">;

/** Practises on the train tasks and asks the optimizer what separates good attempts from bad ones. */
async function learn(
  { document, tasks, wishes, known, step, settings }: ConsolidateInput,
  context: Context,
): Promise<Learned> {
  const train = tasks.train.filter(({ task }) => !isAskedFor(task.id, wishes, known));
  if (train.length === 0) return { rules: [], unmatched: [], rolls: [], proposed: 0 };
  const batch = train.map(({ task }) => task);
  const budget = settings.editBudget;
  const given = { step, epoch: 1, incumbent: document.skill, batch, budget, tried: [], meta: "" };
  // a rule needs two conversations, and few tasks of a night show a difference
  const { rolled, sides } = await study({ ...given, showsAll: true }, context);
  checkPendingShare(rolled, "rollout", context);
  const edits = combineEdits(await allPatches(sides));
  const { proposed, refused } = toRuleEdits(document.skill, edits, budget);
  return {
    rules: proposed.map((one) => learnedRule(document, one, train)),
    unmatched: refused.map(({ edit, reason }) => ({ text: describeEdit(edit), reason })),
    rolls: practised(rolled, batch.length),
    proposed: edits.length,
  };
}

const describeEdit = ({ op, target, content }: Edit): string =>
  `${op} ${JSON.stringify(content ?? target ?? "")}`;

/** Every task gets its first attempt before any gets its second. */
const practised = (rolled: readonly Rolled[], tasks: number): readonly NightRoll[] =>
  rolled.map((one, at) => ({ split: "train", trial: Math.floor(at / tasks), holds: [], rolled: one }));

/** A rule's short name: the same edit of the same document is the same rule on any night. */
const ruleId = (document: Pick<Document, "id">, edit: LearnedEdit): string =>
  hashJson({ document: document.id, edit: { ...edit } }).slice(0, 16);

function learnedRule(
  document: Document,
  { edit, evidence }: LearnedText,
  train: readonly MinedTask[],
): LearnedRule {
  const calling = train.filter(({ task }) => evidence.includes(task.id));
  return newRule(document, edit, "learned", provenanceOf(calling));
}

export function newRule(
  document: Pick<Document, "id">,
  edit: LearnedEdit,
  origin: LearnedRule["origin"],
  provenance: Provenance,
): LearnedRule {
  const base = { id: ruleId(document, edit), document: document.id, edit, origin, provenance, evidence: [] };
  return origin === "stated"
    ? { ...base, status: "stated", reason: "stated by you, not measured" }
    : { ...base, status: "open", reason: "not tested yet" };
}

/** The person's wishes for this document as rules, with their evidence. */
function statedRules(
  { document, known }: ConsolidateInput,
  current: ReturnType<typeof wishRules>,
  kept: ReadonlyMap<string, LearnedRule>,
): readonly LearnedRule[] {
  return current.map(({ wish, edit, provenance, reason, isChosen }) => {
    const fresh = { ...newRule(document, edit, "stated", provenance), wish, reason };
    const own = kept.get(fresh.id);
    const isWaiting = own?.status === "stated" || own?.status === "proven";
    return {
      ...fresh,
      ...measuredBefore(fresh, isChosen, known),
      ...(isWaiting && own.evidence.length > 0 ? { status: own.status, reason: own.reason } : {}),
    };
  });
}

/** Earlier evidence for the same wording, in any document. A wording that the person chose keeps the wish's evidence. */
function measuredBefore(rule: LearnedRule, isChosen: boolean, known: readonly LearnedRule[]): Measured {
  const same = known.filter((one) => wordingKey(one) === wordingKey(rule));
  const others = isChosen ? known.filter(({ wish }) => wish === rule.wish) : [];
  const { evidence, weight, proven } = [...same, ...others].find((one) => one.evidence.length > 0) ?? rule;
  return {
    evidence,
    ...(weight === undefined ? {} : { weight }),
    ...(proven === undefined ? {} : { proven }),
  };
}

function provenanceOf(tasks: readonly MinedTask[]): Provenance {
  return {
    conversations: [...new Set(tasks.flatMap(({ seen }) => seen))].toSorted(),
    tasks: [...new Set(tasks.map(({ task }) => task.id))].toSorted(),
  };
}

function refuseStated(rule: LearnedRule, input: ConsolidateInput, { settings }: Context): string | undefined {
  // the person's own words can't leak a task
  return (
    refuseContract(rule, input.tasks) ??
    refuseSize(rule, input.document.skill, settings) ??
    refuseByGuard(rule, input)
  );
}

function refuseLearned(
  rule: LearnedRule,
  input: ConsolidateInput,
  { settings }: Context,
): string | undefined {
  const { document, leaks, tasks } = input;
  const contracts = contractsOf(taskList(tasks));
  const found = refusal(newText(rule), { skill: document.skill, leaks, contracts });
  return found?.detail ?? refuseSize(rule, document.skill, settings) ?? refuseByGuard(rule, input);
}

const newText = ({ edit }: LearnedRule): string => (edit.op === "delete" ? "" : edit.text);

const refuseContract = (rule: LearnedRule, tasks: DocumentTasks): string | undefined =>
  violatesContract(newText(rule), contractsOf(taskList(tasks)));

const taskList = ({ train, val }: DocumentTasks): readonly Task[] =>
  [...train, ...val].map(({ task }) => task);

function refuseSize(
  rule: LearnedRule,
  document: Skill,
  { maxSkillLength, tokenBudgets, allowScripts }: Context["settings"],
): string | undefined {
  const { skill } = applyRules({ skill: document }, [rule]);
  const length = editableLength(skill, allowScripts);
  if (length > maxSkillLength && length > editableLength(document, allowScripts))
    return `The document would have ${length} characters, of at most ${maxSkillLength}.`;
  return findFileOverrun(document, document.main, mainText(skill), tokenBudgets);
}

function refuseByGuard(
  { edit, origin, provenance }: LearnedRule,
  { document, guardRule, untrusted, stated }: ConsolidateInput,
): string | undefined {
  const guarded = guardRule(edit, { document: document.skill, provenance, origin, untrusted, stated });
  return guarded.ok ? undefined : guarded.reason;
}

interface Book {
  /** Adds a rule, or new facts about a known one. */
  enter(rule: LearnedRule, refuse: (rule: LearnedRule) => string | undefined): void;
  rules(): readonly LearnedRule[];
  unmatched(): readonly UnmatchedEdit[];
}

/** The document's rules, each once: known ones that still fit, then the person's wishes. */
function openBook(input: ConsolidateInput, context: Context): Book {
  const { document } = input;
  const current = wishRules(input.wishes, document);
  const kept = new Map(
    input.rules.map((rule) => [rule.id, settle(settleByWish(rule, input.wishes, current), document)]),
  );
  const unmatched: UnmatchedEdit[] = [];
  const book: Book = {
    rules: () => [...kept.values()],
    unmatched: () => unmatched,
    enter(found, refuse) {
      const wish = wishBehind(found, input.wishes);
      // another wording of the wish, measured by the same coins
      const rule = wish === undefined ? found : { ...found, wish: wish.id };
      if (wish !== undefined && !isRival(rule, wish)) {
        // the wish's exact wording, so the rule exists already
        if (kept.get(rule.id)?.wish !== wish.id)
          unmatched.push({ text: editLine(rule.edit), reason: `it repeats the wish "${wishText(wish)}"` });
        return;
      }
      const known = kept.get(rule.id);
      const merged = known === undefined ? rule : mergeRules(known, rule);
      const problem =
        merged === undefined
          ? `it is known already: ${known?.reason ?? ""}`
          : applyRules(document, [merged]).unmatched[0]?.reason;
      if (merged === undefined || problem !== undefined) {
        unmatched.push({ text: editLine(rule.edit), reason: problem ?? "" });
        return;
      }
      const reason = refuse(merged);
      kept.set(rule.id, reason === undefined ? merged : { ...merged, status: "refused", reason });
    },
  };
  for (const rule of statedRules(input, current, kept)) {
    const reason = refuseStated(rule, input, context);
    const isThere = applyRules(document, [rule]).unmatched.length > 0;
    if (!isThere) kept.set(rule.id, reason === undefined ? rule : { ...rule, status: "refused", reason });
  }
  return book;
}

/** A waiting rule that no longer fits its document stops waiting. */
function settle(rule: LearnedRule, document: Document): LearnedRule {
  if (rule.status !== "open" && rule.status !== "stated" && rule.status !== "proven") return rule;
  const problem = applyRules(document, [rule]).unmatched[0]?.reason;
  if (problem === undefined) return rule;
  const isThere = rule.edit.op === "add";
  return { ...rule, status: isThere ? "adopted" : "dropped", reason: problem };
}

/**
 * A known rule that came up again gets the new conversations too. A rejected one stays rejected; one that a person dropped
 * comes back when another conversation calls for it.
 */
function mergeRules(known: LearnedRule, again: LearnedRule): LearnedRule | undefined {
  const { conversations } = known.provenance;
  const isSaidAgain =
    known.reason === droppedByPerson &&
    again.provenance.conversations.some((id) => !conversations.includes(id));
  if (isSettled(known) && !isSaidAgain) return undefined;
  const provenance = {
    conversations: union(known.provenance.conversations, again.provenance.conversations),
    tasks: union(known.provenance.tasks, again.provenance.tasks),
  };
  const isAnew = known.status === "refused" || isSaidAgain;
  const isStatedNow = again.origin === "stated" && known.status !== "proven";
  const { status, reason } = isAnew || isStatedNow ? again : known;
  const origin = again.origin === "stated" ? "stated" : known.origin;
  return { ...known, provenance, origin, status, reason };
}

/** The reason of a rule that the person dropped, not a gate. */
export const droppedByPerson = "You dropped it.";

const isSettled = ({ status }: LearnedRule): boolean =>
  status === "rejected" || status === "dropped" || status === "adopted";

const union = (some: readonly string[], others: readonly string[]): readonly string[] =>
  [...new Set([...some, ...others])].toSorted();

const unverified = (rule: LearnedRule): LearnedRule =>
  rule.status === "open" && rule.evidence.length === 0
    ? { ...rule, reason: "unverified: the gate was off, so nothing was measured" }
    : rule;
