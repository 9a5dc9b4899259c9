import { type Stage, stageOrder } from "../core/place.ts";
import { formatUsd } from "../core/work/spend.ts";
import { oneLine } from "../core/one-line.ts";
import type { LiveCalls } from "../report/live-calls.ts";
import { timeLeft } from "../core/rehearse/time-left.ts";
import { capUses, laneTroubles, placeText, stageProgress, stageWords } from "../report/live-progress.ts";
import { type RunState, isAtOriginal } from "../report/run-state.ts";
import { unusableText } from "../report/unusable-replies.ts";
import { levelText } from "../core/shown-level.ts";
import { stepLook } from "../core/verdict-words.ts";
import { standingText } from "../core/search-words.ts";
import { duration, fit, pad, plural, short, textWidth, wrap, colors } from "./format.ts";
import { percent } from "../core/measure/percent.ts";
import type { Glyphs } from "./glyphs.ts";
import { scorePoints } from "./score-points.ts";

export interface ShownProgress {
  readonly state: RunState;
  readonly calls: LiveCalls;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Frame {
  readonly columns: number;
  readonly rows: number;
  readonly glyphs: Glyphs;
}

/** The lines that are redrawn during a run. Never wider than the terminal, and always shorter. */
export function progressLines(progress: ShownProgress, { columns, rows, glyphs }: Frame): readonly string[] {
  const isTall = rows >= 40;
  const lines = [
    headLine(progress, columns, glyphs),
    ...barLines(progress, columns, glyphs),
    ...scoreLines(progress),
    labelled("spend", spendText(progress, columns, glyphs)),
    ...(isTall ? roleLines(progress) : []),
    ...verdictLines(progress, columns, isTall ? 4 : 1),
    labelled("waiting", waitingText(progress)),
    ...errorLines(progress, isTall),
    ...replyLines(progress),
  ];
  // the last row stays free for the cursor
  return lines.slice(0, Math.max(rows - 1, 1)).map((line) => fit(line, columns));
}

/** The same in one line, for logs: printed from time to time, not for each call. */
export function progressLine(progress: ShownProgress): string {
  const { state, calls, now } = progress;
  const stages = activeStages(progress).map(
    (name) => `${stageWords[name] ?? name} ${stageProgress(state, name).text}`,
  );
  const failed = calls.failures().reduce((sum, { count }) => sum + count, 0);
  const { incumbent } = state;
  return [
    placeText(state),
    stages.join(", "),
    incumbent === undefined ? "" : `val ${percent(incumbent)}`,
    capUses(state, now)
      .map(({ text }) => text)
      .join(", ") || plural(state.spent.calls, "call"),
    failed === 0 ? "" : `${failed} failed`,
    unusableText(state.replies),
    timeText(state, now),
  ]
    .filter((part) => part !== "")
    .join("  ");
}

const labelColumns = 11;

const labelled = (label: string, text: string): string =>
  `  ${colors.dim(label.padEnd(labelColumns - 2))} ${text}`;

function headLine({ state, now }: ShownProgress, columns: number, { rule }: Glyphs): string {
  const { command, run } = state;
  const left = ` ${[`${command} ${run.slice(0, 8)}`, placeText(state)].filter((part) => part !== command).join(", ")} `;
  const right = ` ${timeText(state, now)} `;
  const gap = Math.max(columns - textWidth(left) - textWidth(right) - 4, 0);
  return `${colors.dim(rule.repeat(2))}${colors.bold(left)}${colors.dim(rule.repeat(gap))}${right}${colors.dim(rule.repeat(2))}`;
}

function timeText(state: RunState, now: number): string {
  const left = timeLeft(state, now);
  return `${duration(now - state.executionAt)}${left === undefined ? "" : `, about ${duration(left)} left`}`;
}

/** Stages that have begun but not ended, and background stages with calls in flight. */
function activeStages({ state: { stages }, calls }: ShownProgress): readonly Stage[] {
  const flying = new Set(calls.inFlight().groups.map(({ stage }) => stage));
  return stageOrder.filter((name) => stages[name]?.ended === false || flying.has(name));
}

/** A bar for the steps and one for each active stage, with its rate and remaining time. */
function barLines(progress: ShownProgress, columns: number, glyphs: Glyphs): readonly string[] {
  const { state, calls, now } = progress;
  const width = Math.min(Math.max(columns - labelColumns - 36, 8), 80);
  const steps =
    state.command === "train" && state.steps > 0
      ? [
          labelled(
            "steps",
            `${bar(state.rows.length / state.steps, width, glyphs)}  ${state.rows.length}/${state.steps}`,
          ),
        ]
      : [];
  const stages = activeStages(progress).map((name) => {
    const { done, total, isBounded, word, text } = stageProgress(state, name);
    const rate = calls.rate(name, now);
    const isKnown = total > 0 && !isBounded;
    const left = isKnown && rate !== undefined && rate > 0 ? Math.max(total - done, 0) / rate : undefined;
    const pace = [
      ...(rate === undefined ? [] : [rateText(rate)]),
      ...(left === undefined ? [] : [`${duration(1000 * left)} left`]),
    ];
    const drawn = total > 0 ? `${bar(done / total, width, glyphs)}  ` : "";
    return labelled(word, `${drawn}${[text, ...pace].join(", ")}`);
  });
  return [...steps, ...stages];
}

const rateText = (rate: number): string =>
  rate >= 0.95 ? `${Math.round(rate)}/s` : `${(60 * rate).toFixed(rate < 0.1 ? 1 : 0)}/min`;

function bar(share: number, width: number, { full, empty }: Glyphs): string {
  const filled = Math.floor(Math.min(Math.max(share, 0), 1) * width);
  return `${colors.green(full.repeat(filled))}${colors.dim(empty.repeat(width - filled))}`;
}

/** The incumbent's score. */
function scoreLines({ state }: ShownProgress): readonly string[] {
  const points = scorePoints(state);
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [];
  const range = `${percent(last.low)} to ${percent(last.high)}`;
  const standing = standingText(last.score, first.score, isAtOriginal(state));
  const text = `${colors.bold(standing)}  ${colors.dim(`${levelText} interval ${range}, ${plural(state.tasks.val, "task")}`)}`;
  return [labelled("val score", text)];
}

function spendText({ state, now }: ShownProgress, columns: number, glyphs: Glyphs): string {
  const { spent, caps } = state;
  const uses = capUses(state, now);
  const counts = [
    ...(caps.calls === undefined ? [plural(spent.calls, "call")] : []),
    ...(caps.tokens === undefined ? [`${short(spent.tokens)} tokens`] : []),
  ];
  const width = Math.min(Math.max(Math.floor(columns / 8), 8), 20);
  const drawn =
    uses.length === 0 ? "" : `${bar(Math.max(...uses.map(({ share }) => share)), width, glyphs)}  `;
  return `${drawn}${[...uses.map(({ text }) => text), ...counts].join(", ")}`;
}

const roleLines = ({ state: { costs } }: ShownProgress): readonly string[] =>
  Object.entries(costs).map(([role, { nanoUsd, calls, tokens }]) =>
    labelled("", `${pad(role, 10)}${formatUsd(nanoUsd)}, ${plural(calls, "call")}, ${short(tokens)} tokens`),
  );

/** The last decisions in words, latest first. */
function verdictLines({ state }: ShownProgress, columns: number, most: number): readonly string[] {
  return state.rows
    .slice(-most)
    .toReversed()
    .flatMap(({ step, action, reason, evidence }, nth) => {
      const [first = "", ...more] = wrap(
        `step ${step} ${stepLook(action, evidence?.rules !== undefined).word}: ${oneLine(reason)}`,
        columns - labelColumns - 2,
      );
      const rest = nth === 0 ? more : [];
      const cut = nth > 0 && more.length > 0 ? " …" : "";
      return [
        labelled(nth === 0 ? "verdict" : "", nth === 0 ? first : colors.dim(first + cut)),
        ...rest.map((line) => labelled("", line)),
      ];
    });
}

/** Names the reason for waiting: calls in flight, a retry, a silent model, or this machine. */
function waitingText({ state, calls, now }: ShownProgress): string {
  const { groups, oldestAt, retrying } = calls.inFlight();
  const again = retrying === 0 ? [] : [`${retrying} to retry`];
  if (oldestAt === undefined) {
    const reasons = [...again, ...laneTroubles(state)];
    return reasons.length === 0 ? colors.dim("for this machine; no calls in flight") : reasons.join("; ");
  }
  const texts = groups.map(
    ({ role, stage, count }) => `${plural(count, `${role} call`)} (${stageWords[stage] ?? stage})`,
  );
  const waited = (now - oldestAt) / 1000;
  const oldest = waited < 1 ? [] : [`the oldest for ${waited.toFixed(0)} s`];
  return `for ${[texts.join(", "), ...oldest, ...again].join("; ")}`;
}

/** Unusable replies cost money and tell nothing, so they are the first thing to fix. */
const replyLines = ({ state: { replies } }: ShownProgress): readonly string[] =>
  replies.length === 0 ? [] : [labelled("replies", colors.yellow(unusableText(replies)))];

function errorLines({ state, calls }: ShownProgress, isTall: boolean): readonly string[] {
  const failures = calls.failures();
  const troubled = laneTroubles(state);
  if (failures.length === 0 && troubled.length === 0) return [labelled("errors", colors.dim("none"))];
  const counts = failures.map(({ class: name, count }) => `${count} ${name}`);
  const [head] = failures;
  const said = head === undefined ? [] : [oneLine(head.message)];
  const messages = isTall ? failures.map(({ class: name, message }) => `${name}: ${oneLine(message)}`) : said;
  return [
    labelled("errors", colors.yellow([...counts, ...troubled].join(", "))),
    ...messages.map((message) => labelled("", colors.dim(message))),
  ];
}
