import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import type { RawConversation, SourceName, ConversationTurn } from "../../core/ports/conversation.ts";
import { actsOf } from "../../core/reminders/reminder.ts";
import { isPluginCommand, isWrittenByWhetstone, showsQuestion } from "../../core/rules/learned/marker.ts";
import { calledSkill, instantOf, skillsReadIn, writtenPath } from "./record-fields.ts";
import { isWithin } from "../project-matcher.ts";
import type { SkippedConversation } from "../../core/ports/transcripts.ts";

/** Builds a conversation from the records a source reads, in order, so that all sources count, cut and name alike. */
export interface ConversationBuilder {
  /** True the first time, so that records some agents write twice are counted once. An empty key is always new. */
  isNew(key: string): boolean;
  /** The folder it started in; the first value is kept. */
  inFolder(folder: string): void;
  /** The first value is kept. */
  onBranch(branch: string): void;
  atCommit(commit: string): void;
  /** The version of the agent's program; the last value is kept. */
  byVersion(version: string): void;
  /** A time in any form (`instantOf`); anything else is skipped. */
  at(time: unknown): void;
  /** The person's typed text, without anything added around it. A repeat before any reply is the same record. */
  prompt(text: string): void;
  /** The agent's words. The last ones before the next prompt are the answer. Pieces of one message are joined. */
  answer(text: string, message?: string): void;
  tool(name: string): void;
  /** A tool call, with the file it wrote. A skill was used if one of its files is among those `read`. */
  call(name: string, input: unknown, read?: string): void;
  /** In any form (`skillName`). */
  skill(name: string): void;
  /** A file that was written. */
  file(path: string): void;
  /** A tool's output, a fetched page, the output of the person's command, or an attached file. */
  output(text: string): void;
  /** Text that the agent's program recorded as pasted, not typed. */
  paste(text: string): void;
  /** The person took back the last turns. */
  takeBack(turns: number): void;
  finish(): RawConversation | SkippedConversation;
}

export function conversationBuilder(given: {
  readonly id: string;
  readonly source: SourceName;
  /** For agents that don't record times. */
  readonly changedAt: number;
}): ConversationBuilder {
  const seen = new Set<string>();
  const turns: ConversationTurn[] = [];
  const tools = new Set<string>();
  const skills = new Set<string>();
  const files = new Set<string>();
  const outputs: string[] = [];
  const heard: number[] = [];
  const pastes: string[] = [];
  const calls: { readonly prompts: number; readonly name: string; readonly input: unknown }[] = [];
  let [folder, branch, commit, version] = ["", "", "", ""];
  let [startedAt, endedAt] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let answering: string | undefined;
  let replied = true;

  const builder: ConversationBuilder = {
    isNew(key) {
      if (key !== "" && seen.has(key)) return false;
      seen.add(key);
      return true;
    },
    inFolder: (value) => void (folder ||= value),
    onBranch: (value) => void (branch ||= value),
    atCommit: (value) => void (commit ||= value),
    byVersion: (value) => void (version = value || version),
    at(time) {
      const instant = instantOf(time);
      if (instant === undefined) return;
      startedAt = Math.min(startedAt, instant);
      endedAt = Math.max(endedAt, instant);
    },
    prompt(text) {
      const prompt = text.trim();
      if (prompt === "" || (!replied && turns.at(-1)?.prompt === prompt)) return;
      turns.push({ prompt, answer: "" });
      heard.push(outputs.length);
      [answering, replied] = [undefined, false];
    },
    answer(text, message) {
      const turn = turns.at(-1);
      const said = text.trim();
      if (turn === undefined || said === "") return;
      const joined = message !== undefined && message !== "" && message === answering;
      turns[turns.length - 1] = { ...turn, answer: joined ? `${turn.answer}\n\n${said}` : said };
      [answering, replied] = [message, true];
    },
    tool(name) {
      if (name !== "") tools.add(name);
      replied = true;
    },
    call(name, input, read = "") {
      builder.tool(name);
      calls.push({ prompts: turns.length, name, input });
      builder.file(writtenPath(name, input));
      for (const skill of skillsReadIn(read)) builder.skill(skill);
    },
    skill(name) {
      const found = calledSkill(name);
      if (found !== "") skills.add(found);
    },
    file: (path) => void (path !== "" && files.add(path)),
    output: (text) => void (text.trim() !== "" && outputs.push(text)),
    paste: (text) => void (text.trim() !== "" && pastes.push(text)),
    takeBack(count) {
      turns.splice(Math.max(0, turns.length - count));
      heard.splice(turns.length);
      replied = true;
    },
    finish() {
      const [first] = turns;
      const called = turns.findIndex(({ prompt }) => isPluginCommand(prompt));
      const end = called < 0 ? turns.length : called;
      const written = version === "" ? {} : { version };
      if (first === undefined) return { skipped: "It contains no typed prompt.", isEmpty: true, ...written };
      if (isWrittenByWhetstone(first.prompt))
        return { skipped: "Its first prompt was written by Whetstone." };
      if (end === 0) return { skipped: "It started with a command of Whetstone's plugin." };
      if (outputs.some(showsQuestion)) return { skipped: "It answers questions from Whetstone." };
      if (!isAbsolute(folder)) return { skipped: "It doesn't say which folder it was in." };
      return {
        id: given.id,
        source: given.source,
        ...written,
        project: folder,
        ...(branch === "" ? {} : { branch }),
        ...(commit === "" ? {} : { commit }),
        startedAt: Number.isFinite(startedAt) ? startedAt : given.changedAt,
        endedAt: Number.isFinite(endedAt) ? endedAt : given.changedAt,
        turns: turns.slice(0, end),
        tools: [...tools],
        skills: [...skills],
        files: [...new Set([...files].map((path) => inside(folder, path)))],
        toolOutputs: outputs,
        heard: heard.slice(0, end),
        ...(pastes.length === 0 ? {} : { pastes }),
        ...(calls.length === 0
          ? {}
          : {
              calls: calls.map(({ prompts, name, input }) => ({
                prompts,
                acts: actsOf(name, input, folder),
              })),
            }),
      };
    },
  };
  return builder;
}

/** Relative to the folder, with forward slashes, if it is inside it. */
function inside(folder: string, path: string): string {
  if (!isAbsolute(path)) return path.split(sep).join("/");
  const home = [folder, realOr(folder)].find((place) => isWithin(path, place));
  return home === undefined ? path : relative(home, path).split(sep).join("/");
}

function realOr(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
