import { WhetstoneError } from "../../errors.ts";
import { closeGap } from "../../markdown/change-text.ts";
import { findRegions, findStrayMarkers, forgesMarker, lineEndOf } from "../../skill/regions.ts";
import { type ListItem, splitItems, writeItem } from "../../markdown/list-items.ts";
import type { LearnedEdit } from "./learned-rule.ts";

/** The rules in a document's learned block, each spelled as in `LearnedEdit`. */
export const readRules = (text: string): readonly string[] => findRules(text).map((rule) => rule.text);

export type EditedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/**
 * One edit of the learned block. Everything outside it and all other rules stay the same, byte for byte; an edit that
 * would break this isn't made. A text without a block gets one at its end.
 */
export function editRules(text: string, edit: LearnedEdit): EditedText {
  const rules = findRules(text);
  const wanted = edit.op === "delete" ? "" : ruleText(edit.text);
  if (edit.op !== "delete") {
    if (!/[\p{L}\p{N}]/u.test(wanted)) return unmatched("it's empty");
    if (forgesMarker(wanted)) return unmatched("it contains something like a region marker");
    if (rules.some((rule) => rule.text === wanted)) return unmatched("the document has this rule already");
  }
  const said = rules.map((rule) => rule.text);
  if (edit.op === "add") return checked(addRule(text, wanted), [...said, wanted]);
  const target = ruleText(edit.target);
  const [found, ...more] = rules.filter((rule) => rule.text === target);
  if (found === undefined) return unmatched("the rule that it changes isn't there");
  if (more.length > 0) return unmatched("the rule that it changes is there more than once");
  return edit.op === "delete"
    ? checked(
        closeGap(text.slice(0, found.start), text.slice(found.end)),
        said.filter((each) => each !== target),
      )
    : checked(
        replaceRule(text, found, wanted),
        said.map((each) => (each === target ? wanted : each)),
      );
}

/**
 * A rule's normalized text for comparing and storing: LF, no surrounding spaces, nothing on blank lines, and without
 * the bullet if it's a single list item.
 */
export function ruleText(text: string): string {
  const plain = text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/^[ \t]+$/gm, "")
    .trim();
  const [only, ...more] = splitItems(plain);
  // a number may be part of the rule's words
  const isBullet = only?.kind === "item" && more.length === 0 && /^[-*+]/.test(plain);
  return isBullet ? ruleText(only.text) : plain;
}

/** Start and end of the block's content, or null. A marker without its partner, or a second block, is an error. */
export function findLearned(text: string): { readonly start: number; readonly end: number } | null {
  const regions = findRegions(text).filter(({ name }) => name === "learned");
  const [region] = regions;
  const seen = text.normalize("NFKC").match(learnedMarker)?.length ?? 0;
  if (findStrayMarkers(text).length > 0 || regions.length > 1 || seen !== 2 * regions.length) {
    throw new WhetstoneError(
      "skill-invalid",
      "The markers of the learned block don't match: one is missing, doubled or damaged.",
      {
        hint: "Keep one `<!-- whetstone:learned:start -->` before the learned rules and one `<!-- whetstone:learned:end -->` after them, or remove both.",
      },
    );
  }
  return region === undefined ? null : { start: region.bodyStart, end: region.bodyEnd };
}

// wider than the real marker, so that a near miss isn't read as text
const learnedMarker = /whetstone\s*:\s*learned\s*:\s*(?:start|end)/gi;

const unmatched = (reason: string): EditedText => ({ ok: false, reason });

function findRules(text: string): readonly ListItem[] {
  const inside = findLearned(text);
  if (inside === null) return [];
  return splitItems(text.slice(inside.start, inside.end)).flatMap((piece) =>
    piece.kind === "item"
      ? [
          {
            ...piece,
            start: piece.start + inside.start,
            end: piece.end + inside.start,
            text: ruleText(piece.text),
          },
        ]
      : [],
  );
}

/** The result must say exactly this: Markdown has more ways to swallow a neighbor than one can foresee. */
function checked(text: string, expected: readonly string[]): EditedText {
  const said = readRules(text);
  const isExact = said.length === expected.length && said.every((rule, at) => rule === expected[at]);
  return isExact ? { ok: true, text } : unmatched("it would run into a neighboring rule");
}

function addRule(text: string, rule: string): string {
  const lineEnd = lineEndOf(text);
  const item = writeItem(rule, bullet, lineEnd) + lineEnd;
  const inside = findLearned(text);
  if (inside === null) {
    const gap = text === "" ? "" : text.endsWith("\n") ? lineEnd : lineEnd + lineEnd;
    return `${text}${gap}${startMarker}${lineEnd}${item}${endMarker}${lineEnd}`;
  }
  const at = findRules(text).at(-1)?.end ?? inside.end;
  const before = text.slice(0, at);
  return `${before}${before.endsWith("\n") ? "" : lineEnd}${item}${text.slice(at)}`;
}

function replaceRule(text: string, { start, end, prefix }: ListItem, rule: string): string {
  const ending = /\r?\n$/.exec(text.slice(start, end))?.[0] ?? "";
  return text.slice(0, start) + writeItem(rule, prefix, lineEndOf(text)) + ending + text.slice(end);
}

const bullet = "- ";
const startMarker = "<!-- whetstone:learned:start -->";
const endMarker = "<!-- whetstone:learned:end -->";
