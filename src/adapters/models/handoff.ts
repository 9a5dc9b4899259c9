import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../make-folder.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { estimateTokens } from "../../core/work/estimate-tokens.ts";
import type { Model, ModelRequest, Reply } from "../../core/ports/model.ts";
import { handoffQuestion, whetstoneMarker } from "../../core/rules/learned/marker.ts";
import { writeFileAtomic } from "../atomic-file.ts";
import { gatherUntilQuiet } from "../gather-until-quiet.ts";
import { type WaitingQuestion, findAnswer, isOneFile, questionSheet } from "./handoff-sheet.ts";

export interface HandoffOptions {
  /** Contains `questions.md`, `answers.md`, `pending/` and `answers/`. */
  readonly folder: string;
  /** The time without a new question before the waiting ones are handed over. @default 500 */
  readonly quietMs?: number;
}

/**
 * Models backed by a folder. A call's answer is in `answers/<key>.md` or `answers.md`. If not, the question goes to
 * `pending/<key>.md` and, with the rest of its round, to `questions.md`. A run's models wait together: a stage asks
 * all its questions, then every call rejects with `handoff-pending`. Run the command again to find the answers.
 */
export function handoffModels({ folder, quietMs = 500 }: HandoffOptions): (id: string) => Model {
  const [pending, answers] = [join(folder, "pending"), join(folder, "answers")];
  const sheets = { questions: join(folder, "questions.md"), answers: join(folder, "answers.md") };
  const order = new Map<string, number>();
  const wait = waitingRoom(quietMs, async (asked) => {
    // in the order they were asked, however long each took to write
    const inOrder = asked.toSorted((a, b) => (order.get(a.key) ?? 0) - (order.get(b.key) ?? 0));
    const sheet = questionSheet(inOrder, { answers: sheets.answers, pending });
    await writeFileAtomic(sheets.questions, sheet, { isPrivate: true });
    return handedOver(asked.length, folder);
  });

  return (id) => ({
    id,
    isHandoff: true,
    async generate(request, { key, signal, isIdle }) {
      signal.throwIfAborted();
      order.set(key, order.size);
      const [question, answer] = [join(pending, `${key}.md`), join(answers, `${key}.md`)];
      const text = (await readAnswer(answer)) ?? findAnswer((await readAnswer(sheets.answers)) ?? "", key);
      if (text !== undefined) {
        await rm(question, { force: true });
        return toReply(text, request);
      }
      for (const each of [folder, pending, answers]) makeFolder(each, 0o700);
      await writeFileAtomic(question, questionText(id, key, request, answer), { isPrivate: true });
      signal.throwIfAborted();
      return wait({ key, model: id, request }, signal, isIdle ?? (() => true));
    },
  });
}

const handedOver = (count: number, folder: string): WhetstoneError =>
  new WhetstoneError(
    "handoff-pending",
    `${count} ${count === 1 ? "question is" : "questions are"} waiting for an answer in ${join(folder, isOneFile(count) ? "questions.md" : "pending")}.`,
    {
      hint: isOneFile(count)
        ? `Write the answers to ${join(folder, "answers.md")} as that file says, or answer each file in ${join(folder, "pending")} with one of the same name in ${join(folder, "answers")}. Then run the same command again.`
        : `Answer each file there with one of the same name in ${join(folder, "answers")} (${join(folder, "questions.md")} lists them in order). Then run the same command again.`,
    },
  );

async function readAnswer(path: string): Promise<string | undefined> {
  try {
    const text = (await readFile(path, "utf8")).replace(/^\uFEFF/, "").trimEnd();
    return text.trim() === "" ? undefined : text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new WhetstoneError("failed", `Can't read the answer ${path}.`, {
      cause: error,
      hint: "Make it a readable text file, then run the same command again.",
    });
  }
}

function toReply(text: string, { system = "", messages }: ModelRequest): Reply {
  const asked = [system, ...messages.map(({ content }) => content)].join("\n");
  const usage = { inputTokens: estimateTokens(asked), outputTokens: estimateTokens(text) };
  return { text, finish: "stop", usage };
}

function questionText(id: string, key: string, request: ModelRequest, answer: string): string {
  const { system, messages, maxTokens } = request;
  const rule = (what: string) => `===== ${key.slice(0, 8)} ${what} =====`;
  return [
    whetstoneMarker,
    `${handoffQuestion}${id}. Write the reply, and nothing else, to`,
    answer,
    `It may have ${maxTokens} tokens. Everything below is the prompt: text to reply to, from the first line with ${key.slice(0, 8)} on.`,
    "",
    ...(system === undefined ? [] : [rule("system"), system, ""]),
    ...messages.flatMap(({ role, content }) => [rule(role), content, ""]),
    rule("end"),
    "",
  ].join("\n");
}

interface Waiting {
  readonly question: WaitingQuestion;
  readonly reject: (reason: unknown) => void;
}

/** Groups calls that wait for one another; all of them are rejected together. */
function waitingRoom(
  quietMs: number,
  handOver: (asked: readonly WaitingQuestion[]) => Promise<WhetstoneError>,
) {
  const room = gatherUntilQuiet<Waiting>(quietMs, (all) => {
    const end = (reason: unknown) => {
      for (const { reject } of all) reject(reason);
    };
    void handOver(all.map(({ question }) => question)).then(end, end);
  });
  return (question: WaitingQuestion, signal: AbortSignal, isIdle: () => boolean): Promise<never> =>
    new Promise<never>((_, reject) => {
      const leave = room.add({ question, reject }, isIdle);
      signal.addEventListener(
        "abort",
        () => {
          leave();
          reject(signal.reason as Error);
        },
        { once: true },
      );
    });
}
