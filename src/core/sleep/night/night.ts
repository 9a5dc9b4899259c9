import {
  type DocumentTasks,
  type NightInput,
  type NightResult,
  type DocumentNight,
  type Together,
  type Diagnostics,
  type TaskDiagnostic,
} from "./night-types.ts";
import type { Context } from "../../context.ts";
import { handled } from "../../stages/handled.ts";
import type { EventBody } from "../../events.ts";
import { buildLeakIndex } from "../../guard/leak-index.ts";
import type { Reply } from "../../ports/model.ts";
import { skillIdentity } from "../../skill/hash.ts";
import { type Skill, mainText } from "../../skill/skill.ts";
import type { Task } from "../../tasks/task.ts";
import { WhetstoneError } from "../../errors.ts";
import { applyRules, isPromising, isStaged } from "../rules/apply-rules.ts";
import { type ConsolidateInput, type Consolidation, consolidate, foresee } from "./consolidate.ts";
import { type NightFacts, whyNothingLearned, taskDiagnostics } from "./diagnose.ts";
import type { Document } from "../rules/document.ts";
import { countsText } from "../rules/evidence.ts";
import { readRules } from "../rules/learned-block.ts";
import type { MinedTask } from "../mine/mined-task.ts";
import type { Rule } from "../rules/rule.ts";
import { type Ensemble, judgeTogether } from "../rules/together.ts";

/**
 * One night: skills first, then memory under the new skills, then everything together against the originals. Nothing of
 * it is live; a person decides.
 */
export async function consolidateNight(input: NightInput, context: Context): Promise<NightResult> {
  for (const document of input.documents) checkBlock(document);
  const night = startNight(input, context);
  const { evolveSkill, evolveMemory } = input.settings;
  const skills = input.documents.filter(({ kind }) => kind === "skill" && evolveSkill);
  const memories = input.documents.filter(({ kind }) => kind === "memory" && evolveMemory);

  const foretold = foretellTogether([...skills, ...memories], input, night);
  // in rounds, memory waits for no skill but one that changes tonight: then it is looked at again under the new one
  const foreseen = new Map(
    skills.map((document) => [document.id, foresee(night.inputOf(document), night.context)]),
  );
  const early = input.inRounds === true ? handled(night.run(memories, foreseen, foretold)) : undefined;
  const skillNights = await night.run(skills, new Map(), foretold);
  const after = new Map(skillNights.map((one) => [one.document.id, stagedSkill(one.document, one.rules)]));
  const isForeseen = skills.every(({ id }) => isSame(foreseen.get(id), after.get(id)));
  const begun = await early;
  const memoryNights = (isForeseen ? begun : undefined) ?? (await night.run(memories, after));

  const nights = [...skillNights, ...memoryNights];
  const judged = await judgeNight(input, nights, night);
  return summarize(input, nights, judged, await night.optimizer(), night.callError());
}

/** Before anything is spent: a block that cannot be read cannot be written either. */
function checkBlock({ path, skill }: Document): void {
  try {
    readRules(mainText(skill));
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    throw new WhetstoneError(error.code, `${path}: ${error.message}`, {
      cause: error,
      hint: error.hint,
    });
  }
}

/** Told of each document how its rules would stand if all were proven that can be. */
type OnTry = (document: Document, rules: readonly Rule[]) => void;

interface Night {
  readonly context: Context;
  inputOf(document: Document): ConsolidateInput;
  /** Consolidates documents beside these skills, by document id; those that are not named are as they are. */
  run(
    documents: readonly Document[],
    skills: ReadonlyMap<string, Skill>,
    onTry?: OnTry,
  ): Promise<readonly Consolidation[]>;
  /** The world of one document beside these versions of the others. */
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
      // rules come from what went wrong, and what a rule does is measured
      failureOnly: true,
      skillAware: false,
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
  const leaks = buildLeakIndex(all.map(({ task }) => withoutRubrics(task)));
  // a wording was held to what the person said when it was made
  const stated = input.wishes.flatMap(({ said, wordings }) => [...said, ...wordings].map(({ text }) => text));
  const inputOf = (document: Document): ConsolidateInput => ({
    ...input,
    step: documents.indexOf(document) + 1,
    document,
    tasks: input.tasks.get(document.id) ?? noTasks,
    rules: input.rules.filter((rule) => rule.document === document.id),
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
    run: (some, skills, onTry) =>
      Promise.all(
        some.map((document) =>
          consolidate(inputOf(document), contextFor(document, skills), (rules) => onTry?.(document, rules)),
        ),
      ),
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

/** A rubric says what the person wants in general: that is no secret, but the very thing to learn. */
const withoutRubrics = ({ checks, ...task }: Task): Task => ({
  ...task,
  ...(checks === undefined ? {} : { checks: checks.filter(({ kind }) => kind !== "rubric") }),
});

const stagedSkill = (document: Document, rules: readonly Rule[]): Skill =>
  applyRules(document, rules.filter(isStaged)).skill;

const isSame = (one: Skill | undefined, other: Skill | undefined): boolean =>
  one !== undefined && other !== undefined && skillIdentity(one) === skillIdentity(other);

interface JudgedNight {
  /** By id: as they stand after everything was tried together. */
  readonly rules: ReadonlyMap<string, Rule>;
  readonly together?: Together;
  readonly tasks: readonly TaskDiagnostic[];
}

/**
 * Trying everything together waits for all gates. Where that would be two rounds more, it is asked for along with them, as
 * if all rules were proven that can be; if it comes otherwise, what was foretold is not used.
 */
function foretellTogether(documents: readonly Document[], input: NightInput, night: Night): OnTry {
  const expected = new Map<Document, readonly Rule[]>();
  return (document, rules) => {
    expected.set(document, rules);
    const isReady = input.inRounds === true && documents.every((one) => expected.has(one));
    if (!isReady || input.settings.gate === "off") return;
    const nights = documents.map((one) => ({ document: one, rules: expected.get(one) ?? [] }));
    if (newlyProven(input, [...expected.values()].flat()).length === 0) return;
    const ensemble = ensembleOf(nights, input, night);
    void handled(judgeTogether(input.night, ensemble, input.settings.trials, night.context));
  };
}

function newlyProven(input: NightInput, rules: readonly Rule[]): readonly Rule[] {
  const proven = new Set(input.rules.filter(({ status }) => status === "proven").map(({ id }) => id));
  return rules.filter(({ id, status }) => status === "proven" && !proven.has(id));
}

function ensembleOf(
  nights: readonly Pick<Consolidation, "document" | "rules">[],
  input: NightInput,
  night: Night,
): Ensemble {
  const versions = new Map(nights.map((one) => [one.document.id, stagedSkill(one.document, one.rules)]));
  const seen = new Set<string>();
  return nights.map(({ document }) => {
    const { val } = input.tasks.get(document.id) ?? noTasks;
    const own = val.filter(({ task }: MinedTask) => !seen.has(task.id));
    for (const { task } of own) seen.add(task.id);
    return {
      document: document.id,
      step: input.documents.indexOf(document) + 1,
      tasks: own,
      before: { skill: document.skill, context: night.contextFor(document, new Map()) },
      after: {
        skill: versions.get(document.id) ?? document.skill,
        context: night.contextFor(document, versions),
      },
    };
  });
}

/** A rule that was proven tonight counts as proven only if everything staged is better than the originals. */
async function judgeNight(
  input: NightInput,
  nights: readonly Consolidation[],
  night: Night,
): Promise<JudgedNight> {
  const rules = nights.flatMap((one) => one.rules);
  const fresh = newlyProven(input, rules);
  const asTheyAre = new Map(rules.map((rule) => [rule.id, rule]));
  if (fresh.length === 0 || input.settings.gate === "off") return { rules: asTheyAre, tasks: [] };
  const ensemble = ensembleOf(nights, input, night);
  const { together, arms } = await judgeTogether(input.night, ensemble, input.settings.trials, night.context);
  const tasks = arms.flatMap((one) => taskDiagnostics(one.document, one.arms));
  if (together.isBetter) return { rules: asTheyAre, together, tasks };
  const reason = `proven by itself, but all together were not better than the originals: ${countsText(together)}`;
  for (const rule of fresh) {
    asTheyAre.set(rule.id, { ...rule, status: rule.origin === "stated" ? "stated" : "open", reason });
  }
  return { rules: asTheyAre, together, tasks };
}

function summarize(
  input: NightInput,
  nights: readonly Consolidation[],
  { rules: judged, together, tasks }: JudgedNight,
  optimizer: Diagnostics["optimizer"],
  callError: string | undefined,
): NightResult {
  const documents = input.documents.flatMap((document): readonly DocumentNight[] => {
    const one = nights.find((each) => each.document === document);
    if (one === undefined) return [];
    const rules = one.rules.map((rule) => judged.get(rule.id) ?? rule);
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
  const rules = [
    ...input.rules.map((rule) => judged.get(rule.id) ?? rule),
    ...documents.flatMap((one) => one.rules.filter(({ id }) => !known.has(id))),
  ];
  const facts: NightFacts = {
    input,
    nights,
    rules,
    together,
    callError,
  };
  const flat = whyNothingLearned(facts);
  return {
    night: input.night,
    gate: input.settings.gate,
    documents,
    rules,
    together,
    flat,
    diagnostics: {
      tasks: [...nights.flatMap((one) => taskDiagnostics(one.document.id, one.arms)), ...tasks],
      optimizer,
      callError,
    },
  };
}
