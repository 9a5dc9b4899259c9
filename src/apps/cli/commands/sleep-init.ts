import { relative, resolve, sep } from "node:path";
import { WhetstoneError } from "../../../core/errors.ts";
import { instructionFiles } from "../../../sleep/memory/agent-files.ts";
import { lookbackStart } from "../../../config/lookback.ts";
import { type SourceName, sourceNames } from "../../../core/ports/conversation.ts";
import { writeConsent } from "../../../sleep/consent.ts";
import { lookAhead } from "../../../sleep/night/look-ahead.ts";
import { type HistoryPlan, planHistory } from "../../../sleep/night/plan-history.ts";
import { type Surveyed, surveySources } from "../../../sleep/night/survey.ts";
import { openPlace } from "../../../sleep/place.ts";
import { projectMemory } from "../../../run/trust/memory.ts";
import type { Io } from "../../../show/io.ts";
import { type RunFlags, surveyConfig } from "../read-config.ts";
import { plural, breakLine, colors } from "../../../show/format.ts";
import { countRange, timeRange, usdRange } from "../../../show/ranges.ts";
import { isAnsweredYes, trustLines, writeTrust } from "./trust-command.ts";

export interface SleepInitFlags extends RunFlags {
  readonly yes: boolean;
  readonly source?: readonly string[];
  readonly exclude?: readonly string[];
  /** Files of other agents that rules may go into as well. */
  readonly file?: readonly string[];
  readonly retentionDays: number;
  readonly localOnly: boolean;
  readonly noteAtEnd: boolean;
}

/** `whetstone sleep init` */
export async function sleepInitCommand(flags: SleepInitFlags, io: Io): Promise<void> {
  const surveyed = await surveyConfig(flags, io);
  const place = openPlace({ config: surveyed.config, cwd: io.cwd });
  const found = await surveySources(place);
  // without any conversations yet, any agent used later counts
  const all = found.length === 0 ? sourceNames : found.map(({ source }) => source);
  const sources = readSources(flags.source) ?? all;
  const files = readFiles(flags.file, place.project);
  const { exclude = [], retentionDays, localOnly, noteAtEnd } = flags;
  const now = Date.now();
  const since = lookbackStart(place.settings.lookback, now);
  io.print(
    [
      `Nights would only read the conversations held in ${place.project} and its subfolders:`,
      ...(found.length === 0 && flags.source === undefined
        ? [`  none yet; from now on those with ${sources.join(", ")}`]
        : sources.map((source) => sourceLine(source, found))),
      ...(since > 0
        ? [`  none that ended before ${dayOf(since)} (--lookback ${place.settings.lookback})`]
        : []),
      "",
      "Nights also read the agents' own memory, but never write it. All projects that you allow share wishes about you.",
      "Secrets are removed before anything is written or sent. Tool outputs aren't kept.",
      localOnly
        ? "Nothing leaves this machine: only models on it may be used."
        : "The rest is sent to the models that you name. `whetstone sleep preview` shows it beforehand.",
      `Text of conversations is kept for ${plural(retentionDays, "day")} after the last night that used it, in ${place.journalDir}, and only you can read it.`,
      "A proposal that waits for you keeps the text it's based on.",
      ...(noteAtEnd
        ? ["When a conversation ends, the plugin offers your corrections, in your own words."]
        : []),
      "The journal keeps prompts and replies of models; `whetstone runs rm <run>` and `whetstone runs gc` remove them.",
      ...(exclude.length === 0 ? [] : [`Left out: ${exclude.join(", ")}.`]),
      ...(files.length === 0
        ? []
        : [`Rules may go into ${files.join(" and ")} too, whichever agent you told them to.`]),
      "None of your files change until you adopt something.",
      "",
      ...trustLines(surveyed, projectMemory(io.cwd).read().trust, io),
    ].join("\n"),
  );
  const isAllowed = flags.yes || (await isAnsweredYes("\nAllow that? [y/N] > ", io));
  if (!isAllowed) {
    io.print("\nNothing was allowed. `whetstone sleep init --yes` allows it.");
    return;
  }
  await writeConsent(place.journalDir, {
    at: now,
    project: place.project,
    sources: [...sources],
    ...(since > 0 ? { since } : {}),
    ...(files.length > 0 ? { files: [...files] } : {}),
    exclude: [...exclude],
    retentionDays,
    localOnly,
    ...(noteAtEnd ? { noteAtEnd } : {}),
  });
  await writeTrust(surveyed, io);
  const history = await planHistory(await lookAhead({ config: surveyed.config, cwd: io.cwd }), io.cwd);
  io.print(
    [
      "",
      "Allowed for this project.",
      ...historyLines(history, io),
      "",
      history.conversations === 0
        ? "Next: work with your agent, then whetstone sleep run; or whetstone sleep schedule to run it every night"
        : `Next: whetstone sleep preview, then whetstone sleep run${typeof history.plan === "string" ? " with --target and --optimizer; without a key both can be handoff/me, and you answer" : ""}`,
    ].join("\n"),
  );
}

function sourceLine(source: SourceName, found: readonly Surveyed[]): string {
  const one = found.find((each) => each.source === source);
  if (one === undefined) return `  ${source.padEnd(15)} none yet`;
  const back = one.oldest === undefined ? "" : `, back to ${dayOf(one.oldest)}`;
  const count = one.problem ?? `${plural(one.conversations, "conversation")}${back}`;
  return `  ${source.padEnd(15)} ${count}  ${colors.dim(one.place)}`;
}

/** The cost and time of reading all conversations, and the number of nights. */
function historyLines({ conversations, first, nights, plan, all }: HistoryPlan, io: Io): readonly string[] {
  if (conversations === 0) return ["There's nothing to read yet."];
  const what = `${plural(conversations, "conversation")} to read`;
  const spread =
    nights === 1
      ? `${what}, all in the first night.`
      : `${what}, newest first: ${first} a night, about ${nights} nights.`;
  const price =
    all === undefined || typeof plan === "string"
      ? [typeof plan === "string" ? plan : ""]
      : [
          plan.message,
          ...(nights === 1
            ? [`It takes ${timeRange(all.ms)}.`]
            : [
                `All nights together: ${countRange(all.calls)} calls${all.nanoUsd.high > 0 ? `, ${usdRange(all.nanoUsd)}` : ""}, ${timeRange(all.ms)}.`,
              ]),
        ];
  return [spread, ...price, "Nothing was sent yet. --lookback 30d only reads the last 30 days."].flatMap(
    (line) => breakLine(line, io.lineLimit),
  );
}

const dayOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

/** Paths below the project's folder, as they are written there. */
function readFiles(given: readonly string[] = [], project: string): readonly string[] {
  return given.map((path) => {
    const inside = relative(project, resolve(project, path)).split(sep).join("/");
    if (inside !== "" && !inside.startsWith("..") && inside.endsWith(".md")) return inside;
    throw new WhetstoneError("usage", `${path} isn't a Markdown file in this project.`, {
      hint: `Name a file that an agent reads, such as --file ${instructionFiles[0]}.`,
    });
  });
}

function readSources(given: readonly string[] | undefined): readonly SourceName[] | undefined {
  return given?.map((word) => {
    const found = sourceNames.find((name) => name === word);
    if (found !== undefined) return found;
    throw new WhetstoneError("usage", `Unknown agent "${word}".`, {
      hint: `Supported agents: ${sourceNames.join(", ")}.`,
    });
  });
}
