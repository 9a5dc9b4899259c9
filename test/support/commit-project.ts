import { mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config, Review } from "../../src/index.ts";
import { createHash } from "node:crypto";
import { type NightState, allowNights, readNightState, readStaged } from "./night-files.ts";
import { commitRequests } from "./commit-world.ts";
import { projectState } from "./project-state.ts";

/** A person's home with a project in it, and days of conversations with Claude Code about commits. */
export interface SleepProject {
  /** The project's folder. */
  readonly path: string;
  readonly home: string;
  readonly journalDir: string;
  readonly config: Config;
  /** Conversations are written one by one, so that later nights have some too. */
  talk(from: number, to: number): void;
}

export interface SleepProjectOptions {
  readonly folder: string;
  readonly conversations: number;
  readonly config: Config;
  /** Every second conversation uses this skill. */
  readonly skill?: string;
  /** The project's folder in the home. @default shop */
  readonly name?: string;
  /** What the person says to the first answer; nothing where it is empty. @default the same in every conversation */
  readonly says?: (at: number) => string;
}

/** When the person began the nth conversation. */
export const beganAt = (at: number): number => Date.now() - 3_600_000 * (commitRequests.length + 1 - at);

export const memoryBefore = "# Shop\n\nThe shop is written in TypeScript.\n";

/** Opted in already; it answers to nobody but Claude Code. */
export async function makeSleepProject(options: SleepProjectOptions): Promise<SleepProject> {
  const {
    folder,
    conversations,
    config,
    skill,
    name = "shop",
    says = () => "You left out where it was asked for, again.",
  } = options;
  const home = join(folder, "home");
  const path = join(home, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "CLAUDE.md"), memoryBefore);
  writeFileSync(join(path, "whetstone.config.json"), JSON.stringify(config, null, 2));
  if (skill !== undefined) {
    mkdirSync(join(path, ".claude/skills", skill), { recursive: true });
    writeFileSync(
      join(path, ".claude/skills", skill, "SKILL.md"),
      `---\nname: ${skill}\ndescription: How commits are written in this shop. Use for every commit.\n---\n\n# Commits\n\nUse the imperative.\n`,
    );
  }
  const talks = join(home, `.claude/projects/-home-${name}`);
  mkdirSync(talks, { recursive: true });
  const talk = (from: number, to: number) => {
    for (const [nth, request] of commitRequests.slice(from, to).entries()) {
      const at = from + nth;
      const began = beganAt(at);
      const used = at % 2 === 0 ? skill : undefined;
      const id = idOf(name === "shop" ? `${at}` : `${at} ${name}`);
      const records = talkAbout(request, { at, id, began, cwd: path, skill: used, said: says(at) });
      const file = join(talks, `${id}.jsonl`);
      writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
      // files written within one millisecond have no order
      const ended = (began + 5 * 60_000) / 1000;
      utimesSync(file, ended, ended);
    }
  };
  talk(0, conversations);
  const journalDir = projectState(path);
  allowNights(journalDir, { project: path, sources: ["claude-code"] });
  return {
    path,
    home,
    journalDir,
    config,
    talk,
  };
}

const idOf = (at: string): string =>
  hashOf(`conversation ${at}`)
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

interface Talk {
  readonly at: number;
  readonly id: string;
  readonly began: number;
  readonly cwd: string;
  readonly skill: string | undefined;
  readonly said: string;
}

/** As Claude Code writes it: a request, an answer without the ticket, and what the person says to that. */
function talkAbout(request: string, { at, id, began, cwd, skill, said }: Talk): readonly object[] {
  const record = (nth: number, type: "user" | "assistant", message: object) => ({
    type,
    message,
    uuid: `${id}-${nth}`,
    timestamp: new Date(began + 60_000 * nth).toISOString(),
    cwd,
    sessionId: id,
    isSidechain: false,
    userType: "external",
  });
  const says = (nth: number, content: readonly object[]) =>
    record(nth, "assistant", {
      id: `msg_${at}_${nth}`,
      role: "assistant",
      model: "claude-sonnet-4-5",
      content,
    });
  return [
    record(0, "user", { role: "user", content: request }),
    ...(skill === undefined
      ? []
      : [says(1, [{ type: "tool_use", id: `tool_${at}`, name: "Skill", input: { skill } }])]),
    says(2, [{ type: "text", text: "Change what was asked for\n\nThe change does what it says." }]),
    ...(said === ""
      ? []
      : [
          record(3, "user", { role: "user", content: said }),
          says(4, [{ type: "text", text: "Change what was asked for\n\nTicket: SHOP-1" }]),
        ]),
  ];
}

/** All that a night may leave behind. */
export interface Remembered {
  readonly state: NightState | undefined;
  readonly proposals: readonly Review[];
  /** Lines of the log. */
  readonly log: readonly string[];
  readonly memory: string;
}

export function remembered({ path, journalDir }: SleepProject): Remembered {
  return {
    state: readNightState(journalDir),
    proposals: readStaged(journalDir),
    log: readLog(journalDir),
    memory: readFileSync(join(path, "CLAUDE.md"), "utf8"),
  };
}

function readLog(journalDir: string): readonly string[] {
  const folder = join(journalDir, "sleep");
  if (!readdirSync(folder).includes("nights.log")) return [];
  return readFileSync(join(folder, "nights.log"), "utf8").trimEnd().split("\n");
}

/** What nights decided, without the times at which they did. */
export function decisionsOf({ state, proposals }: Remembered): string {
  return JSON.stringify({
    nights: state?.nights.map(({ id, sentence, tasks, conversations }) => ({
      id,
      sentence,
      tasks,
      conversations,
    })),
    rules: state?.rules,
    archive: state?.archive.map(({ task, split, wonBy }) => ({ id: task.id, split, wonBy })),
    proposals: proposals.map(({ document, rules }) => ({
      document: document.id,
      rules: rules.map(({ id, edit, label }) => ({ id, edit, label })),
    })),
  });
}

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
