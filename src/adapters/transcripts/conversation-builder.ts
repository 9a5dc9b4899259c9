import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import type { RawConversation, SourceName, ConversationTurn } from "../../core/ports/conversation.ts";
import { actsOf } from "../../core/reminders/reminder.ts";
import { isPluginCommand, isWrittenByWhetstone, showsQuestion } from "../../core/rules/learned/marker.ts";
import { calledSkill, instantOf, skillsReadIn, writtenPath } from "./record-fields.ts";
import { isWithin } from "../project-matcher.ts";
import type { SkippedConversation } from "../../core/ports/transcripts.ts";

/** Takes what a source reads, in order, and puts the conversation together: every source counts, cuts and names alike. */
export interface ConversationBuilder {
  /** True the first time: records that some agents write twice are counted once. An empty key is always new. */
  isNew(key: string): boolean;
  /** The folder it began in; the first one holds. */
  inFolder(folder: string): void;
  /** The first one holds. */
  onBranch(branch: string): void;
  atCommit(commit: string): void;
  /** Of the agent's program; the last one holds. */
  byVersion(version: string): void;
  /** A time in whichever form (`instantOf`); what is none is passed over. */
  at(time: unknown): void;
  /** What the person typed, and nothing that was put around it. The same again before any reply is the same record. */
  prompt(text: string): void;
  /** Words of the agent: the last before the next prompt are the answer. Pieces of one message are joined. */
  answer(text: string, message?: string): void;
  tool(name: string): void;
  /** A call of a tool, with the file that it wrote. A skill whose file is among what it `read` was used. */
  call(name: string, input: unknown, read?: string): void;
  /** In any form (`skillName`). */
  skill(name: string): void;
  /** A file that was written. */
  file(path: string): void;
  /** What a tool gave back, a page that was fetched, what a command of the person printed, a file that was attached. */
  output(text: string): void;
  /** What the agent's program noted as pasted, not typed. */
  paste(text: string): void;
  /** The person took back the last turns. */
  takeBack(turns: number): void;
  finish(): RawConversation | SkippedConversation;
}

export function conversationBuilder(given: {
  readonly id: string;
  readonly source: SourceName;
  /** For agents that write no times. */
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
      if (first === undefined) return { skipped: "Nobody typed a prompt in it.", isEmpty: true, ...written };
      if (isWrittenByWhetstone(first.prompt)) return { skipped: "Whetstone itself wrote its first prompt." };
      if (end === 0) return { skipped: "It began with a command of Whetstone's plugin." };
      if (outputs.some(showsQuestion)) return { skipped: "Questions of Whetstone were answered in it." };
      if (!isAbsolute(folder)) return { skipped: "It does not say in which folder it was held." };
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

/** Relative to the folder, with forward slashes, when it lies in it. */
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
