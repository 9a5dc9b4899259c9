import { resolve } from "node:path";
import { findDestinations } from "../../../config/trust/find-destinations.ts";
import type { Config } from "../../../config/schema.ts";
import { WhetstoneError } from "../../../core/errors.ts";
import { formatUsd } from "../../../core/work/spend.ts";
import { hasConsent, readConsent } from "../../../sleep/consent.ts";
import { type Failures, noteFailure } from "../../../sleep/failures.ts";
import { lookAhead } from "../../../sleep/night/look-ahead.ts";
import { mineIntoFile } from "../../../sleep/night/mine-into-file.ts";
import { openPlace } from "../../../sleep/place.ts";
import { planAhead } from "../../../sleep/night/plan-night.ts";
import { previewLines, previewNight } from "../../../sleep/preview.ts";
import { noteToday } from "../../../sleep/night/note-today.ts";
import { checkNight, performNight } from "../../../sleep/night/perform-night.ts";
import type { Night } from "../../../sleep/night/night-summary.ts";
import { isNightDue, scheduledAt } from "../../../sleep/schedule.ts";
import { sleepStatus } from "../../../sleep/status.ts";
import { sendText, stateOfFiles } from "../../../run/trust/differences.ts";
import { projectMemory } from "../../../run/trust/memory.ts";
import { labelRule, waitingRules } from "../../../core/offer/review.ts";
import { oneLine } from "../../../core/one-line.ts";
import { plural, breakLine, colors } from "../../../show/format.ts";
import type { Io } from "../../../show/io.ts";
import { type RunFlags, codeText, readConfig, readPlace } from "../read-config.ts";
import { shownFrom } from "../../../show/shown-from.ts";
import { watched } from "./train-command.ts";
import { confirmSends } from "./trust-command.ts";

export interface SleepRunFlags extends RunFlags {
  readonly tasks?: string;
  readonly ifDue: boolean;
  /** Only check whether it could start. */
  readonly check: boolean;
}

/** `whetstone sleep run` */
export async function sleepRunCommand(flags: SleepRunFlags, io: Io): Promise<void> {
  const unattended = flags.unattended === true || flags.ifDue;
  const config = await beforeNight({ ...flags, unattended }, io).catch(async (error: unknown) => {
    if (unattended && !flags.check) await noteFailureBefore(error, flags, io);
    throw error;
  });
  if (config === undefined) return;
  if (flags.check) {
    await checkNight({ config, cwd: io.cwd });
    return flags.json ? io.printJson({ ready: true }) : io.print("A night could start here.");
  }
  const tasks = flags.tasks === undefined ? undefined : resolve(io.cwd, flags.tasks);
  const night = await watched(config, flags.json, io, (hooks) =>
    performNight({ config, tasks, ...hooks, cwd: io.cwd }),
  ).catch((error: unknown) => {
    // a timer's second attempt may find the night that its first one started
    if (flags.ifDue && error instanceof WhetstoneError && error.code === "run-locked") return undefined;
    throw error;
  });
  if (night === undefined) return;
  if (!flags.json) io.print(["", ...nightLines(night, shownFrom(io.cwd))].join("\n"));
}

/** The config, or undefined if no night is due. It throws if a person hasn't allowed the night. */
async function beforeNight(flags: SleepRunFlags, io: Io): Promise<Config | undefined> {
  const config = await readConfig(flags, io);
  const { journalDir, env } = openPlace({ config, cwd: io.cwd });
  if (flags.ifDue && !isNightDue(journalDir, Date.now())) return undefined;
  readConsent(journalDir);
  await confirmSends(findDestinations(config, env), flags, io);
  return config;
}

/** Without a person watching, a night that fails before it has a log must count as failed too. */
async function noteFailureBefore(error: unknown, flags: SleepRunFlags, io: Io): Promise<void> {
  const { journal } = flags.given;
  const place = await readPlace(
    { config: flags.config, ...(journal === undefined ? {} : { journal: journal }) },
    io,
  ).catch(() => undefined);
  if (place === undefined || !hasConsent(place.journalDir)) return;
  if (!flags.ifDue || isNightDue(place.journalDir, Date.now()))
    await noteFailure(place.journalDir, error, Date.now());
}

/** `3 nights failed, since 2026-11-17 03:17 UTC: …`, and what to do. */
function failedLines({ at, count, message, hint = "" }: Failures): readonly string[] {
  const since = `${new Date(at[0]).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const nights =
    count === 1 ? `The last night failed, at ${since}` : `${count} nights failed, since ${since}`;
  return [
    colors.red(`${nights}: ${message}`),
    `  ${hint === "" ? "Try again: whetstone sleep run" : `next: ${hint}`}`,
    "",
  ];
}

function nightLines(night: Night, shown: (path: string) => string): readonly string[] {
  const { sentence, conversations, tasks, took, proposals, notes, folder } = night;
  return [
    colors.bold(sentence),
    `  night ${night.id}: ${plural(conversations, "conversation")}, ${plural(tasks, "task")}, ${took}`,
    ...proposals.flatMap(({ id, path, rules }) => [
      "",
      `  ${colors.bold(id)}  for ${shown(path)}`,
      ...rules.flatMap(({ text, label }) => [`    ${oneLine(text)}`, `      ${colors.dim(label)}`]),
    ]),
    ...(notes.length === 0 ? [] : ["", ...notes.map((note) => `  ${colors.dim(note)}`)]),
    "",
    proposals.length > 0 ? "Next: whetstone review" : `The report is ${shown(`${folder}/report.md`)}.`,
  ];
}

/** `whetstone sleep note` */
export async function sleepNoteCommand(flags: RunFlags, io: Io): Promise<void> {
  const proposals = await noteToday({ config: await readConfig(flags, io), cwd: io.cwd });
  if (flags.json) return io.printJson(proposals);
  // a wish is one decision, whichever files it goes into
  const texts = new Set(proposals.flatMap(({ rules }) => rules.map(({ text }) => oneLine(text))));
  io.print(
    texts.size === 0
      ? "You made no new corrections."
      : [
          `${plural(texts.size, "correction")} noted in your own words, not measured:`,
          ...[...texts].map((text) => `  ${text}`),
          "Next: whetstone review",
        ].join("\n"),
  );
}

/** `whetstone sleep dry-run` */
export async function sleepDryRunCommand(flags: RunFlags, io: Io): Promise<void> {
  const config = await readConfig(flags, io);
  const ahead = await lookAhead({ config, cwd: io.cwd });
  const { conversations, tasks, documents, skipped, left, older, notes } = ahead;
  const plan = await planAhead(ahead, io.cwd);
  if (flags.json) {
    io.printJson({
      conversations: conversations.map(({ id }) => id),
      documents: documents.map(({ id }) => id),
      plan,
      skipped,
      left,
      older,
      notes,
    });
    return;
  }
  const shown = shownFrom(io.cwd);
  io.print(
    [
      conversations.length === 0 && tasks === undefined
        ? "Nothing new was said in this project, so a night would learn nothing."
        : `A night would learn from ${tasks === undefined ? plural(conversations.length, "conversation") : plural(tasks.length, "task")}. No call was made and nothing was written.`,
      ...conversations.map(
        ({ id, turns, endedAt }) =>
          `  ${id}  ${plural(turns.length, "prompt")}, ${new Date(endedAt).toISOString().slice(0, 16)}`,
      ),
      "",
      "It could propose rules for:",
      ...documents.map(({ name, scope, path }) => `  ${name} (${scope})  ${colors.dim(shown(path))}`),
      "",
      ...breakLine(typeof plan === "string" ? plan : plan.message, io.lineLimit),
      ...(skipped.length > 0 ? ["", "Left out:", ...skipped.map(({ id, why }) => `  ${id}: ${why}`)] : []),
      ...(notes.length > 0 ? ["", ...notes] : []),
    ].join("\n"),
  );
}

/** `whetstone sleep preview` */
export async function sleepPreviewCommand(flags: RunFlags, io: Io): Promise<void> {
  const texts = await previewNight(await lookAhead({ config: await readConfig(flags, io), cwd: io.cwd }));
  if (flags.json) io.printJson(texts);
  else io.print(previewLines(texts).join("\n"));
}

export interface SleepHarvestFlags extends RunFlags {
  readonly output?: string;
  readonly force: boolean;
}

/** `whetstone sleep harvest` */
export async function sleepHarvestCommand(flags: SleepHarvestFlags, io: Io): Promise<void> {
  if (flags.output === undefined) return sleepDryRunCommand(flags, io);
  const config: Config = await readConfig(flags, io);
  const { journalDir, env } = openPlace({ config, cwd: io.cwd });
  readConsent(journalDir);
  await confirmSends(findDestinations(config, env), flags, io);
  const file = resolve(io.cwd, flags.output);
  const mined = await watched(config, flags.json, io, (hooks) =>
    mineIntoFile(file, flags.force, { config, cwd: io.cwd, ...hooks }),
  );
  if (flags.json) return;
  const shown = shownFrom(io.cwd)(file);
  io.print(
    [
      "",
      `${plural(mined.tasks, "task")} from ${plural(mined.conversations, "conversation")} in ${shown}, ${formatUsd(mined.spent.nanoUsd)}.`,
      ...mined.dropped.map((reason) => `  ${colors.dim(reason)}`),
      'Read them, correct them, and remove "draft": true from each one you agree with.',
      `Next: whetstone sleep run --tasks ${shown}`,
    ].join("\n"),
  );
}

/** The hosts that nights may send to, and what would stop the next night. Runs no code of the project. */
function trustedLines(isScheduled: boolean, io: Io): readonly string[] {
  const { trust } = projectMemory(io.cwd).read();
  const states = stateOfFiles(trust ?? { files: {} });
  const changed = Object.keys(states).filter((path) => states[path] === "changed");
  const why = trust === undefined ? "nobody has allowed it yet" : `${codeText(changed, io)} changed`;
  return [
    ...Object.entries(trust?.sends ?? {}).map(([host, names]) => `  allowed: ${sendText(host, names)}`),
    ...(isScheduled && (trust === undefined || changed.length > 0)
      ? [colors.yellow(`  the next night won't run, because ${why}: whetstone trust`)]
      : []),
  ];
}

/** `whetstone sleep status` */
export async function sleepStatusCommand(
  { journalDir, json }: { readonly journalDir: string; readonly json: boolean },
  io: Io,
): Promise<void> {
  const status = sleepStatus(journalDir);
  if (json) return io.printJson(status);
  const { failures, nights, unfinished, open, staged, ended, consent, headline, helped } = status;
  const last = nights.at(-1);
  const at = scheduledAt(journalDir);
  io.print(
    [
      ...(failures === undefined
        ? []
        : failedLines(failures).flatMap((line) => breakLine(line, io.lineLimit))),
      last === undefined ? headline : colors.bold(headline),
      ...(last === undefined
        ? []
        : [
            `  night ${last.id}, ${new Date(last.endedAt).toISOString().slice(0, 16).replace("T", " ")} UTC; ${plural(nights.length, "night")} in all`,
          ]),
      ...(unfinished === undefined
        ? []
        : [`  night ${unfinished} was stopped; whetstone sleep run resumes it`]),
      ...(ended === undefined
        ? []
        : [
            `  ${plural(ended, "conversation")} ended ${last === undefined ? "so far" : "since the last night"}`,
          ]),
      `  reads ${consent.sources.join(", ")} in ${consent.project}${consent.localOnly ? ", nothing leaves this machine" : ""}`,
      at === undefined ? "  not scheduled" : `  scheduled every day at ${at}`,
      ...trustedLines(at !== undefined, io),
      ...(staged.length === 0
        ? []
        : [
            "",
            "To review:",
            ...staged.map(
              (one) => `  ${one.id}  ${plural(waitingRules(one).length, "rule")} for ${one.document.name}`,
            ),
          ]),
      ...(helped.length === 0
        ? []
        : ["", "What you adopted:", ...helped.flatMap((note) => breakLine(`  ${note}`, io.lineLimit))]),
      ...(open.length === 0
        ? []
        : [
            "",
            "Still being tested on the next nights:",
            ...open.map(
              ({ edit, evidence }) =>
                `  ${oneLine(edit.op === "delete" ? edit.target : edit.text)}  ${colors.dim(labelRule("open", evidence))}`,
            ),
          ]),
      "",
      staged.length > 0 ? "Next: whetstone review" : "Next: whetstone sleep run",
    ].join("\n"),
  );
}
