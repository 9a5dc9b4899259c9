import { ended, oneLine } from "../../core/one-line.ts";
import { labelRule } from "../../core/offer/review.ts";
import type { DroppedFind } from "../mine/mine.ts";
import type { NightResult } from "./night-types.ts";
import type { LearnedRule } from "../../core/rules/learned/learned-rule.ts";
import type { NightSplit } from "../memory/split-night.ts";
import type { Wish } from "../wishes/wish.ts";
import { dayOf, saidText } from "../wishes/wish-words.ts";
import type { PinnedNight } from "./pin-night.ts";
import type { Night } from "./night-summary.ts";

export interface ReportInput {
  readonly night: Night;
  readonly pinned: PinnedNight;
  readonly result: NightResult;
  readonly dropped: readonly DroppedFind[];
  readonly split: NightSplit;
  readonly wishes: readonly Wish[];
}

/** A night's report for a person: the verdict first, then its basis. */
export function nightReport({ night, pinned, result, dropped, split, wishes }: ReportInput): string {
  return [
    `# Night ${night.id}`,
    "",
    night.sentence,
    ...(result.gate === "off" ? ["", "**The gate was off: nothing here is verified.**"] : []),
    "",
    `${night.conversations} conversations, ${split.train.length} tasks to learn from and ${split.val.length} to judge by, ${night.took}.`,
    ...result.documents.flatMap(({ document, rules, unmatched }) =>
      rules.length + unmatched.length === 0
        ? []
        : [
            "",
            `## ${document.name}`,
            ...rules.flatMap((rule) => ruleLines(rule, pinned, wishes)),
            ...(unmatched.length === 0 ? [] : ["", "Not usable as rules:"]),
            ...unmatched.map(({ text, reason }) => `- ${oneLine(text, 160)}: ${reason}`),
          ],
    ),
    ...list(
      "Tasks",
      [...split.train, ...split.val].map(
        ({ task, seen, kind }) => `${task.id} (${kind}, seen in ${seen.length}): ${oneLine(task.input, 160)}`,
      ),
    ),
    ...list(
      "Dropped finds",
      dropped.map(
        ({ conversation, what, reason }) =>
          `${conversation}${what === "" ? "" : `, "${oneLine(what, 160)}"`}: ${reason}`,
      ),
    ),
    ...list(
      "Skipped conversations",
      pinned.skipped.map(({ id, why }) => `${id}: ${why}`),
    ),
    ...list("Notes", night.notes),
    "",
  ].join("\n");
}

function ruleLines(
  { edit, status, evidence, reason, provenance, wish: name }: LearnedRule,
  { conversations }: PinnedNight,
  wishes: readonly Wish[],
): readonly string[] {
  const wish = wishes.find(({ id }) => id === name);
  const known =
    status === "open" || status === "proven" || status === "stated"
      ? labelRule(status, evidence, wish !== undefined)
      : status;
  const text = edit.op === "delete" ? edit.target : edit.text;
  const dates = provenance.conversations.map((id) => {
    const found = conversations.find((one) => one.id === id);
    return found === undefined ? id : `${id} of ${dayOf(found.endedAt)}`;
  });
  const from =
    wish === undefined
      ? `From ${dates.length === 0 ? "no conversation" : dates.join(", ")}.`
      : saidText(wish);
  return [
    "",
    `### ${known}`,
    "",
    ...(edit.op === "add" ? [] : [`To ${edit.op}:`, "", ...quoted(edit.target), ""]),
    ...(edit.op === "delete" ? [] : quoted(text)),
    "",
    `${ended(reason)} ${from}`,
  ];
}

const quoted = (text: string): readonly string[] => text.split("\n").map((line) => `> ${line}`);

const list = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines.map((line) => `- ${line}`)];
