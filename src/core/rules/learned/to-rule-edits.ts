import type { Edit } from "../../skill/edit.ts";
import { type Skill, mainText } from "../../skill/skill.ts";
import { findLearned, readRules, ruleText } from "./learned-block.ts";
import { type MarkdownPiece, splitItems } from "../../markdown/list-items.ts";
import type { LearnedEdit } from "./learned-rule.ts";

export interface LearnedText {
  readonly edit: LearnedEdit;
  /** Ids of the train tasks that ask for it. */
  readonly evidence: readonly string[];
}

interface RuleEdits {
  readonly proposed: readonly LearnedText[];
  readonly refused: readonly { readonly edit: Edit; readonly reason: string }[];
}

/**
 * Converts the optimizer's edits into rules: one edit per rule, at most `budget` in all. Except for the learned block,
 * the document belongs to the person, so an edit of other text is refused.
 */
export function toRuleEdits(document: Skill, edits: readonly Edit[], budget: number): RuleEdits {
  const proposed: LearnedText[] = [];
  const refused: { edit: Edit; reason: string }[] = [];
  for (const edit of edits) {
    const made = convert(document, edit);
    if (typeof made === "string") {
      refused.push({ edit, reason: made });
      continue;
    }
    const known = new Set(proposed.map((one) => JSON.stringify(one.edit)));
    const fresh = made.filter((one) => !known.has(JSON.stringify(one)));
    const room = budget - proposed.length;
    proposed.push(...fresh.slice(0, room).map((one) => ({ edit: one, evidence: edit.evidence })));
    for (const one of fresh.slice(Math.max(room, 0))) {
      const content = one.op === "delete" ? one.target : one.text;
      refused.push({
        edit: { ...edit, content },
        reason: `a night adds at most ${budget} of its own rules to a document`,
      });
    }
  }
  return { proposed, refused };
}

/** The rule edits that an edit stands for, or why there are none. */
function convert(document: Skill, edit: Edit): readonly LearnedEdit[] | string {
  const { op, content = "", target = "", file = document.main } = edit;
  if (file !== document.main) return outside;
  if (op === "append" || op === "insert_after") {
    const rules = splitRules(content);
    return rules.length === 0 ? "it contains no rule" : rules.map((text) => ({ op: "add", text }));
  }
  const rules = readRules(mainText(document));
  const wanted = ruleText(target);
  const named = rules.filter((rule) => wanted !== "" && countOf(rule, wanted) > 0);
  const whole = named.filter((rule) => rule === wanted);
  const [rule, ...more] = whole.length > 0 ? whole : named;
  if (rule === undefined) return missing(mainText(document), target);
  if (more.length > 0 || (rule !== wanted && countOf(rule, wanted) > 1))
    return "it's unclear which rule it changes";
  const [first = "", ...rest] =
    rule === wanted
      ? op === "delete"
        ? []
        : splitRules(content)
      : [ruleText(rule.replace(wanted, () => (op === "delete" ? "" : content)))];
  return [
    isEmpty(first) ? { op: "delete", target: rule } : { op: "replace", target: rule, text: first },
    ...rest.map((text): LearnedEdit => ({ op: "add", text })),
  ];
}

function missing(text: string, target: string): string {
  const inside = findLearned(text);
  const others = inside === null ? [text] : [text.slice(0, inside.start), text.slice(inside.end)];
  const wanted = target.replaceAll(/\r\n?/g, "\n").trim();
  const isOutside = wanted !== "" && others.some((part) => part.replaceAll(/\r\n?/g, "\n").includes(wanted));
  return isOutside ? outside : "the rule that it changes isn't there";
}

const countOf = (text: string, part: string): number => text.split(part).length - 1;

const isEmpty = (text: string): boolean => !/[\p{L}\p{N}]/u.test(text);

const outside = "text outside the learned block is yours";

/** Each list item and each paragraph is a rule; headings aren't. A list's introduction stays with it. */
export function splitRules(content: string): readonly string[] {
  const text = content.replaceAll(/\r\n?/g, "\n");
  const rules: string[] = [];
  let leading = "";
  const close = () => {
    if (leading !== "") rules.push(leading);
    leading = "";
  };
  for (const piece of splitItems(text)) {
    if (piece.kind === "item") {
      if (leading === "") rules.push(ruleText(piece.text));
      else leading += `\n${sliceOf(text, piece).trimEnd()}`;
      continue;
    }
    for (const paragraph of paragraphsOf(sliceOf(text, piece))) {
      close();
      leading = paragraph;
      if (!paragraph.endsWith(":")) close();
    }
  }
  close();
  return rules.map(ruleText).filter((rule) => !isEmpty(rule));
}

const sliceOf = (text: string, { start, end }: MarkdownPiece): string => text.slice(start, end);

/** Drops headings; a block of code belongs to the text before it. */
function paragraphsOf(text: string): readonly string[] {
  const paragraphs: string[] = [];
  for (const [index, part] of text
    .split(/^( {0,3}(?:`{3,}|~{3,})[^]*?^ {0,3}(?:`{3,}|~{3,})[ \t]*)$/m)
    .entries()) {
    if (index % 2 === 1) paragraphs.push(`${paragraphs.pop() ?? ""}\n${part}`.trim());
    else {
      const lines = part.replaceAll(/^ {0,3}#{1,6}(?:\s.*)?$/gm, "\n").split(/\n[ \t]*\n/);
      paragraphs.push(...lines.map((each) => each.trim()).filter((each) => each !== ""));
    }
  }
  return paragraphs;
}
