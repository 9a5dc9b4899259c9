import { join } from "node:path";
import type { Resolved } from "../../config/resolve/resolved.ts";
import type { Context } from "../../core/context.ts";
import { isHandoff } from "../../core/work/handoff.ts";
import type { Redactor } from "../../core/ports/redactor.ts";
import { updateArchive } from "../memory/archive.ts";
import { guardRule } from "../../core/rules/learned/guard-rule.ts";
import { mergeMined } from "../mine/merge-mined.ts";
import type { Heard } from "../mine/check-mined.ts";
import { type DroppedFind, mineConversations, setAside } from "../mine/mine.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";
import { untrustedIn } from "../mine/tell-apart.ts";
import { consolidateNight } from "./night.ts";
import type { DocumentTasks, NightResult } from "./night-types.ts";
import { paraphraseTasks, recallTasks } from "../memory/practice.ts";
import { findWins, regressionSet } from "../memory/regression-set.ts";
import { replayEnvironment } from "./replay-environment.ts";
import { ownWishes } from "../memory/shared-wishes.ts";
import { routeTasks, routeWishes } from "../memory/route-tasks.ts";
import { type NightSplit, splitNight } from "../memory/split-night.ts";
import type { Environment } from "../../core/tasks/environment.ts";
import { handled } from "../../core/stages/handled.ts";
import { handoffFolder } from "../../config/resolve/resolve-model.ts";
import { hashJson } from "../../core/canonical.ts";
import { countByStatus } from "../../core/offer/review.ts";
import type { Json } from "../../core/json.ts";
import { oneLine } from "../../core/one-line.ts";
import { plural } from "../../core/plural.ts";
import type { Answered } from "../../core/offer/look-at-proposal.ts";
import type { Journal } from "../../core/ports/journal.ts";
import type { RunFacts, Told, Verb } from "../../run/verbs/verb.ts";
import { noteWaiting } from "../../run/offer/offers.ts";
import { clearHandoff } from "./clear-handoff.ts";
import { sourcesInUse } from "./gather.ts";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import type { Consent } from "../consent.ts";
import { helpedNotes, knownNotes, reopenedNote, waitingNotes } from "./wish-notes.ts";
import { nightReport } from "./night-report.ts";
import { type PinnedNight, failedNotes, forgetOldNights, readIn } from "./pin-night.ts";
import type { SleepPlace } from "../place.ts";
import { adoptedShare, nightMessage, usualFinds } from "./night-message.ts";
import { tookText } from "./night-took.ts";
import { nightStart } from "./resolve-night.ts";
import { tryRubrics } from "./try-rubrics.ts";
import { tryTalks } from "./try-talks.ts";
import { asksWordsOnly } from "./words-only.ts";
import type { Night } from "./night-summary.ts";
import { stageReminders } from "./stage-reminders.ts";
import { type ProposalSummary, lookAtRules, stageNight } from "./stage-night.ts";
import { type SleepState, addConversations, expireState, stateFile } from "../state.ts";
import { reopenSaid } from "../wishes/fold-decisions.ts";
import { groupWishes } from "../wishes/group-wishes.ts";
import { withoutNoted } from "../wishes/note-corrections.ts";
import { findRemarks } from "../wishes/remarks.ts";
import { type Wish, isClosed } from "../wishes/wish.ts";
import { reopenRelapsed, wordWishes } from "../wishes/word-wishes.ts";

export interface NightWork {
  readonly place: SleepPlace;
  readonly consent: Consent;
  readonly pinned: PinnedNight;
  readonly state: SleepState;
  readonly resolved: Resolved;
  readonly journal: Journal;
  readonly redactor: Redactor;
  /** The folder of the night's report and diagnostics. */
  readonly folder: string;
  readonly now: () => number;
}

/** The results of a night, before anything is staged. */
export interface NightFound {
  readonly dropped: readonly DroppedFind[];
  /** Ids of conversations without a usable reply. */
  readonly failed: readonly string[];
  readonly tasks: readonly MinedTask[];
  readonly split: NightSplit;
  readonly wishes: readonly Wish[];
  readonly result: NightResult;
  readonly looked: Answered;
}

/** A night between reading and remembering: mine, split, replay, learn, prove, then stage the rules. */
export const nightVerb = (work: NightWork): Verb<NightFound, Night> => ({
  ...nightBefore(work),
  folder: work.folder,
  tell: (found, facts) => endNight(work, found, facts),
});

/** The input of a night. */
export type NightMatter = Pick<NightWork, "place" | "pinned" | "state" | "resolved">;

/** The part of a night that can be rehearsed. */
export function nightBefore(matter: NightMatter): Omit<Verb<NightFound, Night>, "tell"> {
  const { place, pinned, state, resolved } = matter;
  const { settings } = place;
  return {
    command: "sleep",
    roles: ["miner", "target", "optimizer", "judge"],
    resolved,
    id: hashJson({
      command: "sleep",
      night: pinned as unknown as Json,
      state: { rules: state.rules, archive: state.archive, wishes: state.wishes } as unknown as Json,
      settings: resolved.settings as unknown as Json,
      sleep: settings as unknown as Json,
      models: resolved.models,
    }).slice(0, 16),
    firstAsked: ["miner", "target", "optimizer"],
    // a login may have expired since the last night
    askedAnew: pinned.id,
    start: nightStart(`night ${pinned.id}`, settings),
    isReported: false,
    // a preview doesn't know yet when the night starts
    hints: {
      seed: `night ${pinned.id}`,
      finds: state.nights.length === 0 ? undefined : usualFinds(state),
      adopted: adoptedShare(state),
    },
    announce: (plan) => nightMessage(plan, matter),
    run: (context) => learnTonight(matter, context),
  };
}

async function learnTonight(work: NightMatter, context: Context): Promise<NightFound> {
  const { place, pinned, state, resolved } = work;
  const { settings } = place;
  const mined =
    pinned.tasks === undefined
      ? await mineConversations(
          pinned.conversations,
          { verify: settings.verify, tries: triesIn(pinned) },
          context,
        )
      : { tasks: pinned.tasks, heard: [], dropped: [], failed: [] };
  const isWordsOnly = asksWordsOnly(settings, resolved.models);
  const talked = isWordsOnly
    ? { tasks: mined.tasks, dropped: [] }
    : await tryTalks(mined.tasks, pinned.id, context);
  const merged = mergeMined(talked.tasks, state.archive);
  const wishes = await wishTonight(merged, mined.heard, work, context);
  const found = merged.slice(0, settings.maxTasks);
  const stale = staleTasks(wishes);
  const isByHand = isHandoff(resolved.models.judge) && isHandoff(resolved.models.target);
  const known = new Map([...state.archive, ...found].map((one) => [one.task.id, one]));
  const judged = isWordsOnly ? [] : [...known.values()].map(({ task }) => task);
  const trial = tryRubrics(judged, pinned.id, context);
  const learn = async (unfit: Unfit, ready: Promise<unknown>) => {
    const isFit = ({ task }: MinedTask) => !unfit.has(task.id) && !stale.has(task.id);
    const tasks = found.filter(isFit);
    const fit = { ...work, state: { ...state, archive: state.archive.filter(isFit) } };
    const split = splitNight(tasks, { archive: state.archive, seed: resolved.settings.seed });
    const result = await consolidateNight(
      {
        night: pinned.id,
        documents: pinned.documents,
        tasks: isWordsOnly ? planWords(tasks, work) : planDocuments(split, fit),
        rules: state.rules,
        wishes,
        untrusted: untrustedIn(pinned.conversations),
        preferences: settings.preferences,
        settings: isWordsOnly ? { ...settings, gate: "off" } : settings,
        inRounds: isByHand,
        guardRule,
        environmentFor: (kind, beside) => judgedOnce(ready, replayEnvironment(kind, beside)),
      },
      context,
    );
    return { tasks, split, result };
  };
  // a person who answers everything by hand gets the rollouts at the same time: they cost nothing, and a round is long
  const early = isByHand ? handled(learn(new Map(), handled(trial.then(requireFit)))) : undefined;
  const unfit = await trial;
  const learned = (unfit.size === 0 ? await early : undefined) ?? (await learn(unfit, trial));
  const dropped = [
    ...mined.dropped,
    ...talked.dropped,
    ...[...known.values()].flatMap((one) => unfitFind(one, unfit)),
  ];
  return {
    dropped,
    failed: mined.failed,
    wishes,
    ...learned,
    looked: await lookAtRules(learned.result, context),
  };
}

const triesIn = ({ places = [] }: PinnedNight): ReadonlyMap<string, number> =>
  new Map(places.map(({ conversation, tries }) => [conversation, tries]));

/** Ids of the tasks that belong only to closed wishes. */
function staleTasks(wishes: readonly Wish[]): ReadonlySet<string> {
  const live = new Set(wishes.flatMap((wish) => (isClosed(wish) ? [] : wish.tasks)));
  const gone = wishes.flatMap((wish) => (isClosed(wish) ? wish.tasks : []));
  return new Set(gone.filter((task) => !live.has(task)));
}

/** Why a task can't be used for measuring, by its id. */
type Unfit = ReadonlyMap<string, string>;

function requireFit(unfit: Unfit): void {
  if (unfit.size > 0) throw new Error("Some tasks were dropped after the work had started.");
}

const unfitFind = ({ task, seen }: MinedTask, unfit: Unfit): readonly DroppedFind[] => {
  const reason = unfit.get(task.id);
  const conversation = task.group ?? seen[0] ?? "";
  return reason === undefined ? [] : [{ conversation, what: oneLine(task.input, 200), reason }];
};

/** The wishes with tonight's sentences, their documents and their wordings. */
async function wishTonight(
  tasks: readonly MinedTask[],
  heard: readonly Heard[],
  { pinned, state, resolved }: NightMatter,
  context: Context,
): Promise<readonly Wish[]> {
  const { conversations, documents, memories, at } = pinned;
  const known = withoutNoted(state.wishes, conversations);
  const remarks = findRemarks({ tasks, heard, conversations, wishes: known, at });
  const grouped = await groupWishes(known, remarks, at, context);
  const before = new Map(known.map((wish) => [wish.id, wish.said.length]));
  const lastNight = state.nights.at(-1)?.startedAt ?? 0;
  const spoken = new Set(
    grouped
      // a wish that replaced another one, or was reopened by the last night, is worded as if it had been said
      .filter(
        ({ id, said, replaces = [], turnedAt = 0 }) =>
          said.length !== before.get(id) || replaces.length > 0 || turnedAt > lastNight,
      )
      .map(({ id }) => id),
  );
  // a dropped wish is open again if it was said tonight
  const inUse = sourcesInUse(conversations, state.archive);
  const wishes = routeWishes(grouped.map(reopenSaid), documents, inUse);
  const { seed } = resolved.settings;
  const untrusted = untrustedIn(pinned.conversations);
  return wordWishes(
    { wishes, documents, memories, inUse, spoken, rules: state.rules, untrusted, seed, at },
    context,
  );
}

/** Stages the rules, saves the night's state, and writes its reports. */
async function endNight(
  work: NightWork,
  found: NightFound,
  { run, folder, costByRole, spent }: RunFacts,
): Promise<Told<Night>> {
  const { place, consent, pinned, state, resolved, journal, now } = work;
  const { journalDir } = place;
  const { dropped, failed, tasks, split, wishes, result, looked } = found;
  const staged = await stageNight({ ...work, result, looked, tasks, wishes });
  const { proposals: offered, reminded } = await stageReminders(work, wishes);
  const proposals = [...staged, ...offered];
  const archive = updateArchive(state.archive, {
    night: pinned.id,
    at: now(),
    ...split,
    won: findWins(result.rules, pinned.id),
  });
  const counts = {
    conversations: pinned.conversations.length,
    tasks: tasks.length,
    corrections: tasks.filter(({ kind }) => kind === "correction").length,
  };
  const sentence = verdict(result, proposals);
  const record = {
    id: pinned.id,
    startedAt: pinned.at,
    endedAt: now(),
    sentence,
    ...counts,
    proposals: proposals.map(({ id }) => id),
    models: resolved.models,
    cost: costByRole,
  };
  const ended: SleepState = {
    nights: [...state.nights, record],
    ...readIn(pinned, state, failed),
    archive,
    rules: result.rules,
    wishes,
    conversations: addConversations(state.conversations, pinned.conversations),
  };
  const next = expireState(ended, { now: now(), days: consent.retentionDays });
  const matter = { documents: pinned.documents, rules: result.rules, at: now() };
  const left = next.wishes.map((wish) => (reminded.has(wish.id) ? wish : reopenRelapsed(wish, matter)));
  const reopened = left.filter((wish) => !next.wishes.includes(wish));
  const notes = [
    ...pinned.notes,
    ...failedNotes(pinned, failed),
    ...leftNotes(pinned, dropped),
    ...helpedNotes(next),
    ...knownNotes(next, state),
    ...talkNotes(tasks, resolved),
    ...waitingNotes(next, state),
    ...reopened.map(reopenedNote),
  ];
  const took = tookText(spent, costByRole, resolved);
  const night: Night = { id: pinned.id, folder, sentence, ...counts, proposals, notes, spent, took };
  await writeReports({ night, ...found }, work);
  await stateFile(journalDir).write(ownWishes({ ...next, wishes: left }));
  await noteWaiting(journalDir);
  await clearHandoff(run, journal, resolved, handoffFolder(place.config, place.project));
  await forgetOldNights(journalDir, next, now() - consent.retentionDays * 86_400_000);
  return { sentence, summary: night, logged: { sentence, proposals: record.proposals } };
}

/** How many conversations the agent read as text because it can't resume them. */
function talkNotes(tasks: readonly MinedTask[], { models, agents }: Resolved): readonly string[] {
  const talks = tasks.filter(({ talk }) => talk !== undefined && talk.before.length > 0).length;
  return talks === 0 || agents?.get(models.target)?.resumes === true
    ? []
    : [`${models.target} can't resume a conversation, so it read ${talks} as text.`];
}

/** Without practice or trials, the only rules are the person's own. */
const planWords = (
  tasks: readonly MinedTask[],
  { pinned: { documents } }: NightMatter,
): ReadonlyMap<string, DocumentTasks> =>
  new Map([...routeTasks(tasks, documents)].map(([id, val]) => [id, { train: [], val, regression: [] }]));

function planDocuments(
  { train, val }: NightSplit,
  { place, pinned, state }: NightMatter,
): ReadonlyMap<string, DocumentTasks> {
  const { recall, paraphrases } = place.settings;
  const { documents } = pinned;
  const { archive, rules } = state;
  const practised = [
    ...train,
    ...recallTasks({ count: recall, train, val, archive }),
    ...paraphraseTasks(train, paraphrases, val),
  ];
  const tonight = new Set([...train, ...val].map(({ task }) => task.id));
  const routed = {
    train: routeTasks(practised, documents),
    val: routeTasks(val, documents),
    earlier: routeTasks(
      archive.filter(({ task }) => !tonight.has(task.id)),
      documents,
    ),
  };
  return new Map(
    documents.map(({ id }) => [
      id,
      {
        train: routed.train.get(id) ?? [],
        val: routed.val.get(id) ?? [],
        regression: regressionSet({ archive, rules, document: id }),
        earlier: routed.earlier.get(id) ?? [],
      },
    ]),
  );
}

/** No verdict is asked for before the judge has shown that it can give one. */
const judgedOnce = (ready: Promise<unknown>, environment: Environment): Environment => ({
  ...environment,
  run: (task, skill, context) =>
    environment.run(task, skill, {
      ...context,
      async score(...given) {
        await ready;
        return context.score(...given);
      },
    }),
});

/** The rules it proposed, counted by status, or why it has none. It only speaks of this night, so it stays true. */
function verdict({ flat }: NightResult, proposals: readonly ProposalSummary[]): string {
  // a wish is one decision, even if it goes into several files
  const rules = [
    ...new Map(proposals.flatMap((proposal) => proposal.rules).map((rule) => [rule.text, rule])).values(),
  ];
  if (rules.length === 0) return flat ?? "Nothing is proposed.";
  return `${rules.length === 1 ? "A rule" : `${rules.length} rules`} proposed: ${countByStatus(rules)}.`;
}

function leftNotes({ skipped }: PinnedNight, dropped: readonly DroppedFind[]): readonly string[] {
  const own = skipped.filter(({ id }) => !id.includes(":"));
  const secretive = dropped.filter(({ reason }) => reason === setAside);
  const unused = dropped.length - secretive.length;
  return [
    ...own.map(({ why }) => why),
    ...secretive.map(
      ({ conversation }) =>
        `${conversation} was set aside, because the miner saw a password or key in it. Add it to the project's .env file, and every night will know it.`,
    ),
    ...(unused > 0
      ? [`${plural(unused, "find")} ${unused === 1 ? "was" : "were"} dropped; the report says why.`]
      : []),
  ];
}

interface Reported extends NightFound {
  readonly night: Night;
}

/** Redacts the reports once more, because a model may write things that no conversation contained. */
async function writeReports(reported: Reported, { folder, redactor, pinned }: NightWork): Promise<void> {
  const { result, dropped, night } = reported;
  const files = {
    "report.md": nightReport({ ...reported, pinned }),
    "report.json": `${JSON.stringify({ ...night, folder: undefined, rules: result.rules, flat: result.flat, dropped }, null, 2)}\n`,
    "diagnostics.json": `${JSON.stringify(result.diagnostics, null, 2)}\n`,
  };
  for (const [name, text] of Object.entries(files))
    await writeFileAtomic(join(folder, name), (await redactor.redact(text)).text, { isPrivate: true });
}
