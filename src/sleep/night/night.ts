import {
  type DocumentTasks,
  type NightInput,
  type NightResult,
  type DocumentNight,
  type Diagnostics,
} from "./night-types.ts";
import type { Context } from "../../core/context.ts";
import { handled } from "../../core/stages/handled.ts";
import type { EventBody } from "../../core/events.ts";
import { buildLeakIndex } from "../../core/guard/leak-index.ts";
import type { Reply } from "../../core/ports/model.ts";
import { skillIdentity } from "../../core/skill/hash.ts";
import { type Skill, mainText } from "../../core/skill/skill.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { applyRules, isPromising, isStaged } from "../../core/rules/learned/apply-rules.ts";
import { type ConsolidateInput, type Consolidation, consolidate, foresee } from "./consolidate.ts";
import { whyNothingLearned, taskDiagnostics } from "./diagnose.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import { leakTask } from "../../core/rules/learned/leak-task.ts";
import { readRules } from "../../core/rules/learned/learned-block.ts";
import type { LearnedRule } from "../../core/rules/learned/learned-rule.ts";
import { judgeRules } from "../../core/rules/learned/judge-rules.ts";

/**
 * One night: skills first, then memory with the new skills. Nothing goes live; a person decides.
 */
export async function consolidateNight(input: NightInput, context: Context): Promise<NightResult> {
  for (const document of input.documents) checkBlock(document);
  const night = startNight(input, context);
  const { evolveSkill, evolveMemory } = input.settings;
  const skills = input.documents.filter(({ kind }) => kind === "skill" && evolveSkill);
  const memories = input.documents.filter(({ kind }) => kind === "memory" && evolveMemory);

  // in rounds, memory doesn't wait for skills; if a skill changes tonight, memory runs again with the new one
  const foreseen = new Map(
    skills.map((document) => [document.id, foresee(night.inputOf(document), night.context)]),
  );
  const early = input.inRounds === true ? handled(night.run(memories, foreseen)) : undefined;
  const skillNights = await night.run(skills, new Map());
  const after = new Map(skillNights.map((one) => [one.document.id, stagedSkill(one.document, one.rules)]));
  const isForeseen = skills.every(({ id }) => isSame(foreseen.get(id), after.get(id)));
  const begun = await early;
  const memoryNights = (isForeseen ? begun : undefined) ?? (await night.run(memories, after));

  const nights = judgeNights([...skillNights, ...memoryNights], input);
  return summarize(input, nights, await night.optimizer(), night.callError());
}

/** Checks the learned block before anything is spent: a block that can't be read can't be written either. */
export function checkBlock({ path, skill }: Document): void {
  try {
    readRules(mainText(skill));
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    throw new WhetstoneError(error.code, `${path}: ${error.message}`, { cause: error, hint: error.hint });
  }
}

/** Judges all documents' rules by everything ever measured, including rules that aren't in tonight's documents. */
function judgeNights(
  nights: readonly Consolidation[],
  { night, rules, settings }: NightInput,
): readonly Consolidation[] {
  if (settings.gate === "off") return nights;
  const now = new Map(nights.flatMap((one) => one.rules.map((rule) => [rule.id, rule] as const)));
  const all = [...rules.filter(({ id }) => !now.has(id)), ...now.values()];
  const unsafe = new Set(nights.flatMap((one) => [...one.unsafe]));
  const judged = new Map(judgeRules(all, { night, unsafe }).map((rule) => [rule.id, rule]));
  return nights.map((one) => ({ ...one, rules: one.rules.map((rule) => judged.get(rule.id) ?? rule) }));
}

interface Night {
  readonly context: Context;
  inputOf(document: Document): ConsolidateInput;
  /** Consolidates documents along with these versions of skills, by document id; other skills stay as they are. */
  run(documents: readonly Document[], skills: ReadonlyMap<string, Skill>): Promise<readonly Consolidation[]>;
  /** The context of one document, with these versions of the others. */
  contextFor(document: Document, versions: ReadonlyMap<string, Skill>): Context;
  optimizer(): Promise<Diagnostics["optimizer"]>;
  callError(): string | undefined;
}

function startNight(input: NightInput, given: Context): Night {
  const { settings, documents } = input;
  let callError: string | undefined;
  const lastKeys = new Map<string, string>();
  const context: Context = {
    ...given,
    settings: {
      ...given.settings,
      attempts: settings.attempts,
      trials: settings.trials,
      editBudget: settings.editBudget,
      // rules come from failures, and their effect is measured
      successes: false,
      editor: false,
      fresh: [given.settings.fresh, input.night].filter((word) => word !== undefined).join(" "),
    },
    emit(event) {
      if (event.type === "unit-pending") callError = event.message;
      given.emit(event);
    },
  };
  const all = [...input.tasks.values()].flatMap(({ train, val, regression }) => [
    ...train,
    ...val,
    ...regression,
  ]);
  const leaks = buildLeakIndex(all.map(leakTask));
  // wordings were already checked against the person's words
  const stated = input.wishes.flatMap(({ said, wordings }) => [...said, ...wordings].map(({ text }) => text));
  const inputOf = (document: Document): ConsolidateInput => ({
    ...input,
    step: documents.indexOf(document) + 1,
    document,
    tasks: input.tasks.get(document.id) ?? noTasks,
    rules: input.rules.filter((rule) => rule.document === document.id),
    known: input.rules,
    leaks,
    stated,
  });
  const contextFor: Night["contextFor"] = (document, versions) => {
    const others = documents
      .filter(({ id }) => id !== document.id)
      .map((one) => ({ ...one, skill: versions.get(one.id) ?? one.skill }));
    return {
      ...context,
      environment: input.environmentFor(document.kind, {
        skills: others.filter(({ kind }) => kind === "skill").map(({ skill }) => skill),
        memory: others
          .filter(({ kind, skill }) => kind === "memory" && mainText(skill).trim() !== "")
          .map(({ skill }) => mainText(skill))
          .join("\n\n"),
      }),
      emit(event: EventBody) {
        if (event.type === "unit-end" && event.role === "optimizer") lastKeys.set(document.id, event.key);
        context.emit(event);
      },
    };
  };
  return {
    context,
    inputOf,
    contextFor,
    async run(some, skills) {
      const nights = await Promise.all(
        some.map((document) => consolidate(inputOf(document), contextFor(document, skills))),
      );
      return judgeNights(nights, input);
    },
    async optimizer() {
      const replies: { document: string; reply: string }[] = [];
      for (const { id } of documents) {
        const key = lastKeys.get(id);
        const recorded = key === undefined ? undefined : await context.journal.get(key);
        const reply = recorded?.body["output"] as unknown as Reply | undefined;
        if (reply !== undefined) replies.push({ document: id, reply: reply.text.slice(0, mostReply) });
      }
      return replies;
    },
    callError: () => callError,
  };
}

const noTasks: DocumentTasks = { train: [], val: [], regression: [] };

const mostReply = 4000;

const stagedSkill = (document: Document, rules: readonly LearnedRule[]): Skill =>
  applyRules(document, rules.filter(isStaged)).skill;

const isSame = (one: Skill | undefined, other: Skill | undefined): boolean =>
  one !== undefined && other !== undefined && skillIdentity(one) === skillIdentity(other);

function summarize(
  input: NightInput,
  nights: readonly Consolidation[],
  optimizer: Diagnostics["optimizer"],
  callError: string | undefined,
): NightResult {
  const documents = input.documents.flatMap((document): readonly DocumentNight[] => {
    const one = nights.find((each) => each.document === document);
    if (one === undefined) return [];
    const { rules } = one;
    return [
      {
        document,
        rules,
        proposed: stagedSkill(document, rules),
        promising: applyRules(
          document,
          rules.filter((rule) => isStaged(rule) || isPromising(rule)),
        ).skill,
        unmatched: one.unmatched,
      },
    ];
  });
  const known = new Set(input.rules.map(({ id }) => id));
  const now = new Map(documents.flatMap((one) => one.rules.map((rule) => [rule.id, rule] as const)));
  const rules = [
    ...input.rules.map((rule) => now.get(rule.id) ?? rule),
    ...documents.flatMap((one) => one.rules.filter(({ id }) => !known.has(id))),
  ];
  const flat = whyNothingLearned({ input, nights, rules, callError });
  return {
    night: input.night,
    gate: input.settings.gate,
    documents,
    rules,
    flat,
    diagnostics: {
      tasks: nights.flatMap((one) => taskDiagnostics(one.document.id, one.rolls)),
      optimizer,
      callError,
    },
  };
}
