import type { ModelRequest } from "../../core/ports/model.ts";
import { contractOf } from "../../core/rehearse/contracts.ts";
import { handoffQuestion, whetstoneMarker } from "../../core/rules/learned/marker.ts";

/** A question that waits for an answer. */
export interface WaitingQuestion {
  readonly key: string;
  readonly model: string;
  readonly request: ModelRequest;
}

/** The most questions one file can contain. With more, it lists them, and each has its own file. */
export const isOneFile = (questions: number): boolean => questions <= 15;

/**
 * Puts all questions of a round in one file: in order, each with its role, and with shared instructions only once.
 * Answers go in one file too, below lines that name the question.
 */
export function questionSheet(
  asked: readonly WaitingQuestion[],
  { answers, pending }: { readonly answers: string; readonly pending: string },
): string {
  const questions = asked
    .map((question, at) => ({ ...question, at, role: roleOf(question.request) }))
    .toSorted((a, b) => roles.indexOf(a.role) - roles.indexOf(b.role) || a.at - b.at);
  const isWhole = isOneFile(questions.length);
  const models = [...new Set(questions.map(({ model }) => model))].join(" and ");
  const order = questions.map(
    ({ key, role }, at) => `${at + 1}. ${short(key)} ${role}${isWhole ? "" : `: ${pending}/${key}.md`}`,
  );
  const intro = isWhole
    ? [
        `${handoffQuestion}${models}: ${questions.length} of them, in this order. Write the replies, and nothing else, to`,
        answers,
        "each below a line of its own that names its question, such as",
        heading(questions[0]?.key ?? ""),
        "Answer each from its own instructions and text alone. Everything below the list is text to reply to.",
      ]
    : [
        `${handoffQuestion}${models}: ${questions.length} of them, in this order. Each file says where its reply goes.`,
      ];
  return [
    whetstoneMarker,
    ...intro,
    "",
    ...order,
    "",
    ...(isWhole ? bodies(questions) : []),
    ...(isWhole ? ["===== end =====", ""] : []),
  ].join("\n");
}

const roles = ["miner", "optimizer", "target", "judge"] as const;

/** The role asked, read from the contract at the end of the instructions. */
function roleOf({ system = "" }: ModelRequest): (typeof roles)[number] {
  const contract = contractOf(system)?.name;
  if (contract === undefined) return "target";
  if (contract.startsWith("judge")) return "judge";
  return contract === "mine" || contract === "group_wishes" ? "miner" : "optimizer";
}

function bodies(questions: readonly (WaitingQuestion & { readonly role: string })[]): readonly string[] {
  const lines: string[] = [];
  let told: string | undefined;
  for (const [at, { key, role, request }] of questions.entries()) {
    const { system, messages, maxTokens } = request;
    if (system !== undefined && system !== told) {
      const alike = questions.slice(at).findIndex((other) => other.request.system !== system);
      const last = alike === -1 ? questions.length : at + alike;
      const which = last === at + 1 ? `question ${at + 1}` : `questions ${at + 1} to ${last}`;
      lines.push(`===== instructions for the ${role}, ${which} =====`, system, "");
    }
    told = system;
    lines.push(`===== ${at + 1}. ${short(key)} ${role}, at most ${maxTokens} tokens =====`);
    for (const { role: speaker, content } of messages)
      lines.push(...(messages.length > 1 ? [`[${speaker}]`] : []), content, "");
  }
  return lines;
}

const short = (key: string): string => key.slice(0, 8);

const heading = (key: string): string => `===== ${short(key)} =====`;

/** The reply to one question in a file of replies. */
export function findAnswer(sheet: string, key: string): string | undefined {
  const parts = sheet.split(/^=====[ \t]*(?:\d+\.[ \t]*)?([0-9a-f]{8}|end)\b.*=====[ \t]*\r?$/m);
  for (let at = 1; at + 1 < parts.length; at += 2)
    if (parts[at] === short(key)) return parts[at + 1]?.trim() || undefined;
  return undefined;
}
