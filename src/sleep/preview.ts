import { findSuspects } from "../adapters/redaction/suspects.ts";
import { conversationText } from "./mine/conversation-text.ts";
import type { MinedTask } from "../core/ports/mined-task.ts";
import { editLine } from "./night/night-prompts.ts";
import { skillText } from "../core/tasks/chat-environment.ts";
import type { LookedAhead } from "./night/look-ahead.ts";
import { plural } from "../core/plural.ts";
import { saidLine } from "./wishes/said-line.ts";

const outgoingKinds = ["conversation", "document", "memory", "task", "wish", "rule"] as const;
type OutgoingKind = (typeof outgoingKinds)[number];

/** One text exactly as a night would send it. */
export interface OutgoingText {
  readonly kind: OutgoingKind;
  readonly title: string;
  readonly text: string;
  /** Words that may be secrets but that no rule removed. */
  readonly left: readonly string[];
}

export interface PreviewedNight
  extends Pick<LookedAhead, "conversations" | "tasks" | "documents" | "memories" | "redactor"> {
  readonly state: Pick<LookedAhead["state"], "archive" | "wishes" | "rules">;
}

/** Everything that would leave this machine: new conversations, texts to improve, and material of earlier nights. */
export async function previewNight(ahead: PreviewedNight): Promise<readonly OutgoingText[]> {
  const sent: OutgoingText[] = [];
  // redact each text once more, as for everything that is sent
  for (const { text: raw, ...about } of textsOf(ahead)) {
    const { text } = await ahead.redactor.redact(raw);
    sent.push({ ...about, text, left: suspectsIn(text).map(({ start, end }) => text.slice(start, end)) });
  }
  return sent;
}

function textsOf({
  conversations,
  tasks = [],
  documents,
  memories,
  state,
}: PreviewedNight): readonly Omit<OutgoingText, "left">[] {
  if (conversations.length + tasks.length === 0) return [];
  const { archive, wishes, rules } = state;
  const worded = new Set(wishes.flatMap(({ wordings }) => wordings.map(({ text }) => text)));
  return [
    ...conversations.map((digest) => ({
      kind: "conversation" as const,
      title: `${digest.id}, ${new Date(digest.endedAt).toISOString()}`,
      text: [conversationText(digest), ...digest.turns.flatMap(({ did = [] }) => did)].join("\n"),
    })),
    ...documents.map(({ name, scope, kind, skill }) => ({
      kind: "document" as const,
      title: `${name} (${scope} ${kind})`,
      text: skillText(skill),
    })),
    ...memories.map(({ name, text }) => ({ kind: "memory" as const, title: `${name} (to compare)`, text })),
    ...tasks.map((mined) => ({
      kind: "task" as const,
      title: `${mined.task.id} (of your file)`,
      text: [taskText(mined), ...(mined.said ?? []).map(({ text }) => text)].join("\n"),
    })),
    ...archive.map((mined) => ({
      kind: "task" as const,
      title: `${mined.task.id} (of an earlier night, may be tried again)`,
      text: taskText(mined),
    })),
    // new sentences are grouped with all known wishes, and the optimizer gets these wishes too
    ...wishes.map(({ id, wordings, said, state: { quote = "" } }) => ({
      kind: "wish" as const,
      title: `${id} (of earlier nights, its words may be sent again)`,
      text: [
        ...new Set([
          ...wordings.map(({ text }) => text),
          ...said.map((one) => (one.text === "" ? "" : saidLine(one))),
        ]),
        quote,
      ]
        .filter((text) => text !== "")
        .join("\n"),
    })),
    ...rules
      .filter(({ edit, status }) => status === "rejected" || edit.op !== "add" || !worded.has(edit.text))
      .map(({ id, edit, status, reason }) => ({
        kind: "rule" as const,
        title: `${id} (of an earlier night, may be sent again)`,
        text: status === "rejected" ? `${editLine(edit)}: ${reason}` : editLine(edit),
      })),
  ].filter(({ text }) => text.trim() !== "");
}

const taskText = ({ task, paraphrases, talk }: Pick<MinedTask, "task" | "paraphrases" | "talk">): string =>
  JSON.stringify({ ...task, paraphrases, talk }, undefined, 2);

/** For a person: the verdict first, then every text, with possible secrets marked. */
export function previewLines(texts: readonly OutgoingText[]): readonly string[] {
  if (texts.length === 0) return ["No new conversations, so nothing would leave this machine."];
  const size = texts.reduce((sum, { text }) => sum + text.length, 0);
  const left = texts.reduce((sum, each) => sum + each.left.length, 0);
  const kinds = outgoingKinds.flatMap((kind) => {
    const number = texts.filter((each) => each.kind === kind).length;
    return number === 0
      ? []
      : [plural(number, kind, kind === "wish" ? "wishes" : kind === "memory" ? "memories" : undefined)];
  });
  const lines = [
    `${kinds.join(", ")} would be sent to the models, ${size} characters in total:`,
    `removed: ${describeTaken(texts.map(({ text }) => text))}`,
    left === 0
      ? "left: nothing that looks like a secret"
      : `left: ${plural(left, "word")} that may be ${left === 1 ? "a secret" : "secrets"}, marked ⟪so⟫ below`,
  ];
  for (const { title, text } of texts) {
    lines.push("", printable(`${title}, removed: ${describeTaken([text])}`));
    for (const line of markSuspects(text).split(/\r?\n/))
      lines.push(`${line.includes("⟪") ? "? " : "  "}${printable(line)}`.trimEnd());
  }
  lines.push("", "An agent as the target also reads the project's files, in a copy of its repository.");
  if (left > 0)
    lines.push(
      `${plural(left, "marked word")}: add those that are secrets to the project's .env file, so that they are known,`,
      "or leave conversations out with `whetstone sleep init --exclude <word>`.",
    );
  return lines;
}

function markSuspects(text: string): string {
  let [marked, from] = ["", 0];
  for (const { start, end } of suspectsIn(text)) {
    marked += `${text.slice(from, start)}⟪${text.slice(start, end)}⟫`;
    from = end;
  }
  return marked + text.slice(from);
}

/** Suspects without our own fence code. */
function suspectsIn(text: string) {
  const code = /^BEGIN .+ ([\da-f]{16})$/m.exec(text)?.[1];
  return findSuspects(text).filter(({ start, end }) => text.slice(start, end) !== code);
}

/** `3 secrets (2 github, 1 known)`: the number of different ones, by kind. */
function describeTaken(texts: readonly string[]): string {
  const kinds = new Map<string, Set<string>>();
  for (const text of texts) {
    for (const [placeholder, kind = ""] of text.matchAll(/«SECRET:([a-z\d-]+):\d+»/g))
      kinds.set(kind, (kinds.get(kind) ?? new Set()).add(placeholder));
  }
  if (kinds.size === 0) return "nothing";
  const byKind = [...kinds]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, all]) => `${all.size} ${kind}`);
  const total = [...kinds.values()].reduce((sum, all) => sum + all.size, 0);
  return `${plural(total, "secret")} (${byKind.join(", ")})`;
}

/** Invisible characters become their code points, so a terminal shows them instead of obeying them. */
const printable = (line: string): string =>
  line.replaceAll(/(?!\t)[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (hidden) => {
    return `\\u{${(hidden.codePointAt(0) ?? 0).toString(16)}}`;
  });
