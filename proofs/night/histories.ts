import { hash } from "node:crypto";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";

export type Agent = "claude-code" | "codex" | "opencode";

/** One conversation as it is to stand in an agent's history. */
export interface Talk {
  readonly agent: Agent;
  /** Any text: the agent's own id is made of it. */
  readonly name: string;
  /** The folder. */
  readonly cwd: string;
  /** When it ended, in milliseconds since the epoch. */
  readonly endedAt: number;
  readonly turns: readonly { readonly prompt: string; readonly answer: string }[];
  /** The skill that was used. */
  readonly skill?: string;
  /** What a tool gave back. */
  readonly output?: string;
}

/** Writes conversations into the histories of three agents below a home, in their own record shapes. */
export function writeTalks(home: string, talks: readonly Talk[]): void {
  for (const talk of talks) if (talk.agent === "claude-code") writeClaudeCode(home, talk);
  for (const talk of talks) if (talk.agent === "codex") writeCodex(home, talk);
  writeOpenCode(
    home,
    talks.filter(({ agent }) => agent === "opencode"),
  );
}

const secondsBetween = 20;
const timeOf = ({ endedAt, turns }: Talk, turn: number): number =>
  endedAt - (turns.length - turn) * secondsBetween * 1000;
const iso = (time: number): string => new Date(time).toISOString();

/** A reproducible id in the form of a UUID. */
function uuid(name: string): string {
  const hex = hash("sha256", name);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    "-",
  );
}

function writeRecords(path: string, records: readonly object[], endedAt: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  utimesSync(path, endedAt / 1000, endedAt / 1000);
}

function writeClaudeCode(home: string, talk: Talk): void {
  const sessionId = uuid(talk.name);
  const common = {
    isSidechain: false,
    userType: "external",
    entrypoint: "cli",
    cwd: talk.cwd,
    sessionId,
    version: "2.1.325",
  };
  const records = talk.turns.flatMap(({ prompt, answer }, turn) => {
    const at = timeOf(talk, turn);
    const promptId = uuid(`${talk.name} prompt ${turn}`);
    const isFirst = turn === 0;
    const tools = [
      ...(isFirst && talk.skill !== undefined
        ? [{ name: "Skill", input: { skill: talk.skill }, output: `Launching skill: ${talk.skill}` }]
        : []),
      ...(isFirst && talk.output !== undefined
        ? [{ name: "Bash", input: { command: "git log -3", description: "Look" }, output: talk.output }]
        : []),
    ];
    const message = (id: string, content: readonly object[], stop: string) => ({
      id: `msg_${uuid(`${talk.name} ${turn} ${id}`).slice(0, 8)}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content,
      stop_reason: stop,
      stop_sequence: null,
      usage: { input_tokens: 900, output_tokens: 40 },
    });
    return [
      {
        ...common,
        type: "user",
        promptId,
        message: { role: "user", content: prompt },
        uuid: uuid(`${talk.name} user ${turn}`),
        timestamp: iso(at),
      },
      ...tools.flatMap(({ name, input, output }, use) => [
        {
          ...common,
          type: "assistant",
          message: message(`use ${use}`, [{ type: "tool_use", id: `toolu_${use}`, name, input }], "tool_use"),
          uuid: uuid(`${talk.name} use ${turn} ${use}`),
          timestamp: iso(at + 2000),
        },
        {
          ...common,
          type: "user",
          promptId,
          message: {
            role: "user",
            content: [{ tool_use_id: `toolu_${use}`, type: "tool_result", content: output }],
          },
          toolUseResult: { stdout: output },
          uuid: uuid(`${talk.name} result ${turn} ${use}`),
          timestamp: iso(at + 3000),
        },
      ]),
      {
        ...common,
        type: "assistant",
        message: message("text", [{ type: "text", text: answer }], "end_turn"),
        uuid: uuid(`${talk.name} answer ${turn}`),
        timestamp: iso(at + 5000),
      },
    ];
  });
  const folder = talk.cwd.replaceAll(/[^A-Za-z0-9]/g, "-");
  writeRecords(join(home, ".claude", "projects", folder, `${sessionId}.jsonl`), records, talk.endedAt);
}

function writeCodex(home: string, talk: Talk): void {
  const id = uuid(talk.name);
  const at = timeOf(talk, 0);
  const meta = {
    timestamp: iso(at),
    type: "session_meta",
    payload: {
      id,
      timestamp: iso(at),
      cwd: talk.cwd,
      originator: "codex_cli_rs",
      cli_version: "0.166.0",
      source: "cli",
      thread_source: "user",
      model_provider: "openai",
    },
  };
  const surroundings = {
    timestamp: iso(at),
    type: "response_item",
    payload: {
      type: "message",
      role: "user",
      content: [
        {
          type: "input_text",
          text: `<environment_context>\n  <cwd>${talk.cwd}</cwd>\n</environment_context>`,
        },
      ],
    },
  };
  const read =
    talk.skill === undefined
      ? []
      : [
          {
            timestamp: iso(at + 1000),
            type: "response_item",
            payload: {
              type: "function_call",
              name: "exec_command",
              arguments: JSON.stringify({ cmd: `cat '${talk.cwd}/.agents/skills/${talk.skill}/SKILL.md'` }),
              call_id: "call_1",
            },
          },
        ];
  const output =
    talk.output === undefined
      ? []
      : [
          {
            timestamp: iso(at + 2000),
            type: "response_item",
            payload: { type: "function_call_output", call_id: "call_1", output: talk.output },
          },
        ];
  const records = talk.turns.flatMap(({ prompt, answer }, turn) => {
    const time = timeOf(talk, turn);
    return [
      {
        timestamp: iso(time),
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ type: "input_text", text: prompt }] },
      },
      {
        timestamp: iso(time),
        type: "event_msg",
        payload: {
          type: "item_completed",
          thread_id: id,
          item: { type: "UserMessage", id: `u-${turn}`, content: [{ type: "text", text: prompt }] },
        },
      },
      ...(turn === 0 ? [...read, ...output] : []),
      {
        timestamp: iso(time + 5000),
        type: "response_item",
        payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: answer }] },
      },
    ];
  });
  const [date = ""] = iso(talk.endedAt).split("T");
  const file = `rollout-${iso(at).slice(0, 19).replaceAll(":", "-")}-${id}.jsonl`;
  writeRecords(
    join(home, ".codex", "sessions", ...date.split("-"), file),
    [meta, surroundings, ...records],
    talk.endedAt,
  );
}

const openCodeSchema = join(import.meta.dirname, "../../test/fixtures/transcripts/opencode/schema.sql");

function writeOpenCode(home: string, talks: readonly Talk[]): void {
  if (talks.length === 0) return;
  const folder = join(home, ".local", "share", "opencode");
  mkdirSync(folder, { recursive: true });
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  using database = new DatabaseSync(join(folder, "opencode.db"));
  database.exec("pragma journal_mode = wal");
  const isThere = database.prepare("select 1 from sqlite_master where name = 'session'").get() !== undefined;
  if (!isThere) database.exec(readFileSync(openCodeSchema, "utf8"));
  database.exec("pragma foreign_keys = off");
  for (const talk of talks) insertTalk(database, talk);
}

function insertTalk(database: DatabaseSync, talk: Talk): void {
  const session = `ses_${hash("sha256", talk.name).slice(0, 20)}`;
  const insert = (table: string, row: Readonly<Record<string, string | number>>) => {
    const columns = Object.keys(row);
    const places = columns.map(() => "?").join(", ");
    database
      .prepare(`insert into ${table} (${columns.join(", ")}) values (${places})`)
      .run(...Object.values(row));
  };
  const times = { time_created: timeOf(talk, 0), time_updated: talk.endedAt };
  insert("session", {
    id: session,
    project_id: hash("sha256", talk.cwd).slice(0, 40),
    slug: "quiet-otter",
    directory: talk.cwd,
    title: "t",
    version: "1.18.33",
    ...times,
  });
  let parts = 0;
  const say = (turn: number, role: "user" | "assistant", content: readonly object[]) => {
    const at = timeOf(talk, turn) + (role === "user" ? 0 : 5000);
    const message = `msg_${hash("sha256", `${talk.name} ${turn} ${role}`).slice(0, 20)}`;
    const data = { role, time: { created: at, ...(role === "user" ? {} : { completed: at }) } };
    const stamped = { session_id: session, time_created: at, time_updated: at };
    insert("message", { id: message, ...stamped, data: JSON.stringify(data) });
    for (const part of content) {
      parts += 1;
      const id = `prt_${String(parts).padStart(6, "0")}_${session.slice(4, 12)}`;
      insert("part", { id, message_id: message, ...stamped, data: JSON.stringify(part) });
    }
  };
  for (const [turn, { prompt, answer }] of talk.turns.entries()) {
    say(turn, "user", [{ type: "text", text: prompt }]);
    say(turn, "assistant", [
      ...(turn === 0 && talk.skill !== undefined
        ? [
            {
              type: "tool",
              tool: "skill",
              callID: "call_1",
              state: { status: "completed", input: { name: talk.skill }, output: "loaded" },
            },
          ]
        : []),
      ...(turn === 0 && talk.output !== undefined
        ? [
            {
              type: "tool",
              tool: "bash",
              callID: "call_2",
              state: { status: "completed", input: { command: "git log -3" }, output: talk.output },
            },
          ]
        : []),
      { type: "text", text: answer },
    ]);
  }
}
