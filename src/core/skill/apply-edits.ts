import { isBinary } from "../files.ts";
import { findHiddenCharacters } from "../guard/hidden-characters.ts";
import { addContent } from "../markdown/add-content.ts";
import { readChanged } from "../markdown/blocks.ts";
import { sameEnds } from "../line-diff.ts";
import { removeSpan } from "../markdown/remove-span.ts";
import { replaceSpan } from "../markdown/replace-span.ts";
import { readsAlready } from "../markdown/said.ts";
import { tearsBlock } from "../markdown/tears-block.ts";
import { type Edit, type EditOp, editOps } from "./edit.ts";
import {
  countMarkerLikes,
  findBrokenProtection,
  findFrontmatter,
  findOpenParts,
  findRegions,
  forgesMarker,
  lineEndOf,
  partAt,
  type RegionSpan,
  withLineEnds,
} from "./regions.ts";
import type { Skill } from "./skill.ts";
import { isEditable } from "./surface.ts";
import { type TokenBudgets, findFileOverrun } from "./token-budgets.ts";
import { own } from "../own.ts";

export interface EditLimits {
  /** The maximum size of all editable text, in characters, after an edit that makes it grow. @default no limit */
  readonly maxSkillLength?: number;
  /** The maximum size of each surface, after an edit that makes it grow. @default no limit */
  readonly tokenBudgets?: TokenBudgets;
  /** Whether scripts and other non-prose files may be edited. @default false */
  readonly allowScripts?: boolean;
  /** Why a file may not become this text. @default any text is allowed */
  readonly findProblem?: (text: string) => string | undefined;
}

export type EditStatus =
  | "applied_append"
  | "applied_insert_after"
  | "applied_insert_after_fallback_append"
  | "applied_replace"
  | "applied_delete"
  | "skipped_already_there"
  | "skipped_unknown_op"
  | "skipped_replace_missing_target"
  | "skipped_replace_target_not_found"
  | "skipped_delete_missing_target"
  | "skipped_delete_target_not_found"
  | "refused_ambiguous_target"
  | "refused_binary"
  | "refused_empty"
  | "refused_leak"
  | "refused_contract"
  | "refused_description"
  | "refused_forged_marker"
  | "refused_frontmatter"
  | "refused_hidden_characters"
  | "refused_protected_region"
  | "refused_script"
  | "refused_too_large"
  | "refused_torn_block"
  | "refused_unknown_file"
  | "failed";

/** One place where an ambiguous target occurs. */
export interface EditCandidate {
  /** From 1. */
  readonly line: number;
  /** The whole line where the occurrence starts. */
  readonly text: string;
}

export interface EditReport {
  readonly op: EditOp;
  readonly file: string;
  readonly status: EditStatus;
  readonly applied: boolean;
  /** A description for a person or the optimizer. */
  readonly detail: string;
  /** Only with `refused_ambiguous_target`: at most ten, to be sent back once. */
  readonly candidates?: readonly EditCandidate[];
}

/**
 * Applies one edit to one file. Never throws: if an edit can't be applied, the skill stays as it is.
 *
 * Markdown stays well formed: items join lists with their marker, number and spacing, and blank lines separate other
 * blocks. Nothing is repeated in one place, and a delete leaves no remains. An edit only changes its own words, the
 * blank lines and spaces around them, and the following numbers of the same list. Every other byte stays.
 *
 * @example
 * const skill = { main: "SKILL.md", files: { "SKILL.md": "# Desk\n" } };
 * const { report } = applyEdit(skill, { op: "append", content: "- Be brief.", evidence: ["task-1"] });
 * console.log(report.status); // applied_append
 */
export function applyEdit(
  skill: Skill,
  edit: Edit,
  limits: EditLimits = {},
): { skill: Skill; report: EditReport } {
  const file = edit.file ?? skill.main;
  const report = ({ status, detail, candidates }: Attempt): EditReport => ({
    op: edit.op,
    file,
    status,
    applied: status.startsWith("applied_"),
    detail,
    candidates,
  });
  try {
    const attempt = attemptEdit(skill, file, edit, limits);
    if (attempt.text === undefined) return { skill, report: report(attempt) };
    readChanged(skill.files[file] ?? "", attempt.text);
    const files = { ...skill.files, [file]: attempt.text };
    return { skill: { ...skill, files }, report: report(attempt) };
  } catch (error) {
    return { skill, report: report({ status: "failed", detail: String(error) }) };
  }
}

/**
 * Applies edits in order. Each one reports what happened, and none stops the others.
 *
 * @example
 * const skill = { main: "SKILL.md", files: { "SKILL.md": "# Desk\n" } };
 * const { reports } = applyPatch(skill, [{ op: "delete", target: "# Desk", evidence: [] }]);
 * console.log(reports.map(({ detail }) => detail));
 */
export function applyPatch(
  skill: Skill,
  edits: readonly Edit[],
  limits: EditLimits = {},
): { skill: Skill; reports: readonly EditReport[] } {
  const reports: EditReport[] = [];
  let current = skill;
  for (const edit of edits) {
    const { skill: next, report } = applyEdit(current, edit, limits);
    current = next;
    reports.push(report);
  }
  return { skill: current, reports };
}

/** An edit whose words are near an offset. If they occur several times by now, the nearest are meant. */
export interface PlacedEdit extends Edit {
  readonly near?: number;
}

/** The place of an edit in a file. */
export interface EditSpan extends RegionSpan {
  readonly file: string;
  /** The line, or the end of one, that its content follows; none for the end of the file and for a target. */
  readonly anchor?: RegionSpan;
}

/** The target of an edit, or the empty span where its content goes; undefined if it changes nothing. */
export function findEditSpan(skill: Skill, edit: Edit): EditSpan | undefined {
  const file = edit.file ?? skill.main;
  const text = own(skill.files, file);
  if (text === undefined || isBinary(text)) return undefined;
  const { span, anchor } = operate(text, edit, contentOf(edit, text));
  return span === undefined ? undefined : { file, ...span, ...(anchor === undefined ? {} : { anchor }) };
}

/** The size of all editable text, in characters. */
export function editableLength(skill: Skill, allowScripts: boolean): number {
  const texts = Object.entries(skill.files).filter(([path]) => isEditable(path, skill, allowScripts));
  return texts.reduce((sum, [, text]) => sum + text.length, 0);
}

interface Attempt {
  readonly status: EditStatus;
  readonly detail: string;
  readonly candidates?: readonly EditCandidate[];
  /** The file's new text, if the edit applies. */
  readonly text?: string;
  /** The part of the old text that it changes, and the words that it follows. */
  readonly span?: RegionSpan;
  readonly anchor?: RegionSpan;
}

function attemptEdit(skill: Skill, file: string, edit: PlacedEdit, limits: EditLimits): Attempt {
  const { maxSkillLength = Number.POSITIVE_INFINITY, tokenBudgets = {}, allowScripts = false } = limits;
  if (!operations.has(edit.op))
    return { status: "skipped_unknown_op", detail: `"${edit.op}" is not an edit.` };
  const before = own(skill.files, file);
  if (before === undefined)
    return { status: "refused_unknown_file", detail: `The skill has no file "${file}".` };
  if (isBinary(before)) return { status: "refused_binary", detail: `"${file}" is not text.` };
  if (!isEditable(file, skill, allowScripts))
    return { status: "refused_script", detail: `"${file}" is not prose, and scripts are not to be edited.` };

  const content = contentOf(edit, before);
  const attempt = checkContent(content, edit.op) ?? operate(before, edit, content);
  const after = attempt.text;
  if (after === undefined) return attempt;

  const growth = after.length - before.length;
  const length = editableLength(skill, allowScripts) + growth;
  if (growth > 0 && length > maxSkillLength) {
    const detail = `The skill would have ${length} characters, of at most ${maxSkillLength}.`;
    return { status: "refused_too_large", detail };
  }
  const overrun = findFileOverrun(skill, file, after, tokenBudgets);
  if (overrun !== undefined) return { status: "refused_too_large", detail: overrun };
  // such text would be written as the bytes it encodes
  if (isBinary(after)) return { status: "refused_binary", detail: `"${file}" would no longer be text.` };
  const problem = limits.findProblem?.(after);
  if (problem !== undefined) return { status: "refused_description", detail: problem };
  // both sides of the change can be harmless and their joint dangerous, so the result is checked too
  const broken = findBrokenProtection(before, after);
  if (broken !== null) return protectedAttempt(broken);
  const [old, now] = aroundChange(before, after);
  if (countMarkerLikes(now) > countMarkerLikes(old))
    return { status: "refused_forged_marker", detail: "The result would hold a region marker." };
  if (findHiddenCharacters(now).length > findHiddenCharacters(old).length)
    return { status: "refused_hidden_characters", detail: "The result would hold hidden characters." };
  return attempt;
}

/** The changed part of a text, before and after, with some surrounding text; everything else is the same. */
function aroundChange(before: string, after: string): readonly [string, string] {
  const { head, tail } = sameEnds(before, after);
  const around = (text: string) =>
    text.slice(Math.max(head - aroundIt, 0), text.length - Math.max(tail - aroundIt, 0));
  return [around(before), around(after)];
}

/** Longer than any marker, and than anything that joins characters to one. */
const aroundIt = 300;

const contentOf = ({ op, content = "" }: Edit, text: string): string =>
  op === "delete" ? "" : withLineEnds(content.trim(), lineEndOf(text));

const operations: ReadonlySet<string> = new Set(editOps);

function checkContent(content: string, op: EditOp): Attempt | undefined {
  if (content === "" && (op === "append" || op === "insert_after"))
    return {
      status: "refused_empty",
      detail: `There is nothing to ${op === "append" ? "append" : "insert"}.`,
    };
  const [hidden] = findHiddenCharacters(content);
  if (hidden !== undefined) {
    const code = hidden.codePoint.toString(16).toUpperCase().padStart(4, "0");
    const detail = `The content holds a hidden character (${hidden.name}, U+${code}).`;
    return { status: "refused_hidden_characters", detail };
  }
  if (forgesMarker(content))
    return { status: "refused_forged_marker", detail: "The content holds a region marker." };
  return undefined;
}

function operate(before: string, edit: PlacedEdit, content: string): Attempt {
  const attempt =
    edit.op === "append"
      ? append(before, content, { status: "applied_append", detail: "Appended." })
      : edit.op === "insert_after"
        ? insertAfter(before, edit, content)
        : substitute(before, edit.op, edit, content);
  return attempt.text === before ? alreadyThere : attempt;
}

const alreadyThere: Attempt = {
  status: "skipped_already_there",
  detail: "The text says this at that place already.",
};

const torn: Attempt = {
  status: "refused_torn_block",
  detail: "It would tear a list item, a table, a heading, a comment or a block of code apart.",
};

function append(before: string, content: string, done: Pick<Attempt, "status" | "detail">): Attempt {
  const [part = { start: 0, end: before.length }] = findOpenParts(before);
  return { ...done, ...added(addContent(before, part, content)) };
}

const added = ({ text, at }: ReturnType<typeof addContent>): Pick<Attempt, "text" | "span"> =>
  at === undefined ? { text } : { text, span: { start: at, end: at } };

function insertAfter(before: string, { target = "", near }: PlacedEdit, content: string): Attempt {
  // the last line of a known anchor is enough, since something may have been inserted between its lines
  const words = near === undefined ? target : (target.trimEnd().split("\n").at(-1) ?? "");
  const found = findNearest(before, words.trimEnd(), near);
  if (found.length === 0) {
    const detail = "The anchor was not found, so the content was appended.";
    return append(before, content, { status: "applied_insert_after_fallback_append", detail });
  }
  const anchor = found.find((span) => findProtection(before, span) === null);
  if (anchor === undefined) return protectedAttempt(findProtection(before, found[0]) ?? "protected-region");
  const last = anchor.end - 1;
  return {
    status: "applied_insert_after",
    detail: `Inserted after line ${lineNumber(before, last)}.`,
    anchor: { start: Math.max(anchor.start, before.lastIndexOf("\n", last) + 1), end: anchor.end },
    ...added(addContent(before, partAt(before, last), content, last)),
  };
}

function substitute(before: string, op: "replace" | "delete", edit: PlacedEdit, content: string): Attempt {
  const { target = "", near } = edit;
  if (target.trim() === "") return { status: `skipped_${op}_missing_target`, detail: "There is no target." };
  const found = findNearest(before, target, near);
  const [match] = found;
  if (match === undefined)
    return { status: `skipped_${op}_target_not_found`, detail: "The target was not found." };
  const protections = found.map((span) => findProtection(before, span));
  const [protection] = protections;
  if (protection !== null && protection !== undefined && !protections.includes(null))
    return protectedAttempt(protection);
  if (found.length > 1) {
    const candidates = found.slice(0, 10).map(({ start }) => describeLine(before, start));
    const detail = `The target occurs ${found.length} times; it must be longer to name one of them.`;
    return { status: "refused_ambiguous_target", detail, candidates };
  }
  const words = trimSpan(before, match);
  const part = partAt(before, words.start);
  const at = `at line ${lineNumber(before, words.start)}.`;
  if (content !== "" && readsAlready(before, words, content)) return alreadyThere;
  const text = tearsBlock(before, part, words)
    ? undefined
    : content === ""
      ? removeSpan(before, part, words)
      : replaceSpan(before, part, words, content);
  if (text === undefined) return torn;
  const detail = `${content === "" ? "Deleted" : "Replaced"} ${at}`;
  return { status: `applied_${op}`, detail, text, span: words };
}

function trimSpan(text: string, { start, end }: RegionSpan): RegionSpan {
  const words = text.slice(start, end);
  return { start: end - words.trimStart().length, end: start + words.trimEnd().length };
}

/**
 * All places where the target occurs, including overlapping ones. A target with LF also matches a CRLF file, and items
 * with other numbers, because an earlier edit may have renumbered them.
 */
function findTarget(text: string, target: string): readonly RegionSpan[] {
  if (target.trim() === "") return [];
  const exact = findAll(text, target);
  if (exact.length > 0) return exact;
  const wanted = withLineEnds(target, lineEndOf(text));
  const found = findAll(text, wanted);
  return found.length > 0 ? found : findRenumbered(text, wanted);
}

function findNearest(text: string, target: string, near: number | undefined): readonly RegionSpan[] {
  const found = findTarget(text, target);
  if (near === undefined) return found;
  return found.toSorted((a, b) => Math.abs(a.start - near) - Math.abs(b.start - near)).slice(0, 1);
}

function findRenumbered(text: string, target: string): readonly RegionSpan[] {
  const [head = "", ...rest] = target.split(/^(?<=[ \t]*)\d{1,9}(?=[.)][ \t])/m);
  if (rest.length === 0) return [];
  const pattern = [head, ...rest]
    .map((part) => part.replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&"))
    .join("\\d{1,9}");
  return [...text.matchAll(new RegExp(pattern, "g"))]
    .map(({ index, 0: { length } }) => ({ start: index, end: index + length }))
    .filter(({ start }) => !splitsNumber(text, start));
}

function findAll(text: string, target: string): readonly RegionSpan[] {
  const found: RegionSpan[] = [];
  for (let at = text.indexOf(target); at >= 0; at = text.indexOf(target, at + 1))
    if (!splitsNumber(text, at)) found.push({ start: at, end: at + target.length });
  return found;
}

/** "1. a" doesn't match inside "11. a": the cut-off part would stay behind. */
const splitsNumber = (text: string, at: number): boolean =>
  /^\d\d/.test(text.slice(Math.max(at - 1, 0), at + 1));

type Protection = "frontmatter" | "protected-region";

function findProtection(text: string, span: RegionSpan | undefined): Protection | null {
  if (span === undefined) return null;
  const overlaps = ({ start, end }: RegionSpan) => span.start < end && start < span.end;
  const frontmatter = findFrontmatter(text);
  if (frontmatter !== null && overlaps(frontmatter)) return "frontmatter";
  return findRegions(text).some(overlaps) ? "protected-region" : null;
}

function protectedAttempt(protection: Protection): Attempt {
  return protection === "frontmatter"
    ? { status: "refused_frontmatter", detail: "The edit touches the frontmatter." }
    : { status: "refused_protected_region", detail: "The edit touches a protected region." };
}

function describeLine(text: string, at: number): EditCandidate {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const [line = ""] = text.slice(start).split(/\r?\n/, 1);
  return { line: lineNumber(text, at), text: line };
}

const lineNumber = (text: string, at: number): number => text.slice(0, at).split("\n").length;
