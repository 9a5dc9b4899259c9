import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TranscriptSource } from "../../../core/ports/transcripts.ts";
import { listAt, parseEvent, recordAt, textAt } from "../../agents/event-fields.ts";
import { isObject } from "../../../core/json.ts";
import type { ConversationBuilder } from "../conversation-builder.ts";
import { foldersIn, latestLogs } from "../log-files.ts";
import { type JsonRecord, jsonLines } from "../json-lines.ts";
import { skillsReadIn, textsWithin } from "../record-fields.ts";
import { logsIn, transcriptSource } from "../transcript-source.ts";

/**
 * Copilot Chat of VS Code: `<home>/User/workspaceStorage/<hash>/chatSessions/<id>.jsonl`, a log of operations on one object
 * (older versions: that object in `<id>.json`). A home is `~/.config/Code` and the like.
 */
export function vscodeCopilotSource({ homes }: { readonly homes: readonly string[] }): TranscriptSource {
  const places = homes.map((home) => join(home, "User", "workspaceStorage"));
  return transcriptSource("vscode-copilot", places.join(", "), {
    async find() {
      const own = (await Promise.all(places.map(foldersIn))).flat();
      return logsIn(own, (folder) => latestLogs(join(folder, "chatSessions"), /\.jsonl?$/), folderOf);
    },
    async read(builder, { path }) {
      const session = path.endsWith(".jsonl")
        ? await replayOperations(path)
        : parseEvent(await readFile(path, "utf8"));
      if (session === undefined) return "Its file is damaged.";
      builder.inFolder(await folderOf(dirname(dirname(path))));
      builder.onBranch(textAt(recordAt(session, "repoData"), "localBranch"));
      builder.atCommit(textAt(recordAt(session, "repoData"), "localHeadCommit"));
      builder.at(session["creationDate"]);
      for (const request of listAt(session, "requests")) if (isObject(request)) readRequest(builder, request);
      return undefined;
    },
  });
}

function readRequest(builder: ConversationBuilder, request: JsonRecord): void {
  if (!isCopilots(request) || isTakenBack(request)) return;
  builder.at(request["timestamp"]);
  builder.at(recordAt(request, "modelState")["completedAt"]);
  // a button that was pressed in the answer, not something typed
  if (textAt(request, "confirmation") === "") readMessage(builder, request);
  let said = "";
  for (const part of listAt(request, "response")) {
    said = isToolCall(part) ? "" : said + textOf(part);
    builder.answer(said);
    readPart(builder, part);
  }
  const results = recordAt(recordAt(recordAt(request, "result"), "metadata"), "toolCallResults");
  for (const result of Object.values(results)) builder.output(textsWithin(result).join("\n"));
}

function readMessage(builder: ConversationBuilder, request: JsonRecord): void {
  const text = textAt(request, "message") || textAt(recordAt(request, "message"), "text");
  // the editor itself reports here how a command in a terminal ended
  if (terminalReport.test(text)) builder.output(text);
  else builder.prompt(text);
}

const terminalReport = /^\s*\[Terminal [\w-]{6,} notification:/;

function readPart(builder: ConversationBuilder, part: unknown): void {
  const kind = textAt(part, "kind");
  if (kind === "textEditGroup" || kind === "notebookEditGroup") builder.file(pathOf(recordAt(part, "uri")));
  if (!isToolCall(part)) return;
  const tool = textAt(part, "toolId");
  builder.tool(tool);
  if (/read_?file/i.test(tool)) {
    const told = [recordAt(part, "pastTenseMessage"), recordAt(part, "invocationMessage")];
    for (const skill of told.flatMap((message) => skillsReadIn(textAt(message, "value"))))
      builder.skill(skill);
  }
  for (const output of listAt(recordAt(part, "resultDetails"), "output"))
    builder.output(textAt(output, "value"));
  builder.output(textAt(recordAt(recordAt(part, "toolSpecificData"), "terminalCommandOutput"), "text"));
}

/** Markdown is kept as a bare string object; names of files and symbols stand between its pieces. */
function textOf(part: unknown): string {
  const kind = textAt(part, "kind");
  if (kind === "inlineReference")
    return `\`${textAt(part, "name") || basename(pathOf(recordAt(part, "inlineReference")))}\``;
  if (kind !== "" && kind !== "markdownContent") return "";
  return textAt(part, "value") || textAt(recordAt(part, "content"), "value");
}

const isToolCall = (part: unknown): boolean => textAt(part, "kind") === "toolInvocationSerialized";

/** Other extensions have their own agents in the same file. */
function isCopilots(request: JsonRecord): boolean {
  const agent = recordAt(request, "agent");
  const id = textAt(agent, "extensionId") || textAt(recordAt(agent, "extensionId"), "value");
  return id === "" || id.toLowerCase().startsWith("github.copilot");
}

const isTakenBack = (request: JsonRecord): boolean =>
  request["isHidden"] === true || isObject(request["shouldBeRemovedOnSend"]);

const pathOf = (uri: JsonRecord): string => textAt(uri, "fsPath") || textAt(uri, "path");

/** The folder that was open, or the one that the workspace file lies in; empty when it is on another machine. */
async function folderOf(own: string): Promise<string> {
  const stated = parseEvent(await readFile(join(own, "workspace.json"), "utf8").catch(() => ""));
  const file = localPath(textAt(stated, "workspace"));
  return localPath(textAt(stated, "folder")) || (file === "" ? "" : dirname(file));
}

function localPath(uri: string): string {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : "";
  } catch {
    return "";
  }
}

/**
 * The object that VS Code's log of operations ends in: 0 the whole object, 1 sets a place, 2 appends to a list (cut at `i`
 * first), 3 deletes. An operation on a place that is not there is passed over. Undefined when the log never says the whole.
 */
async function replayOperations(path: string): Promise<JsonRecord | undefined> {
  let state: Record<string, unknown> | undefined;
  for await (const operation of jsonLines(path)) {
    const { kind, k, v, i } = operation;
    if (kind === 0) state = isObject(v) ? { ...v } : undefined;
    else if (state !== undefined && Array.isArray(k)) apply(state, { kind, place: k, value: v, from: i });
  }
  return state;
}

interface Operation {
  readonly kind: unknown;
  readonly place: readonly unknown[];
  readonly value: unknown;
  readonly from: unknown;
}

function apply(state: Record<string, unknown>, { kind, place, value, from }: Operation): void {
  const holder = place.slice(0, -1).reduce<unknown>((at, key) => at && own(at, key), state);
  const key = place.at(-1);
  if (typeof holder !== "object" || holder === null || (typeof key !== "string" && typeof key !== "number"))
    return;
  // the log comes from a file: nothing in it may reach what all objects share
  if (key === "__proto__") return;
  const target = holder as Record<string | number, unknown>;
  if (kind === 1) target[key] = value;
  if (kind === 3) delete target[key];
  if (kind !== 2) return;
  const list = Array.isArray(target[key]) ? (target[key] as unknown[]) : [];
  if (typeof from === "number") list.splice(from);
  if (Array.isArray(value)) list.push(...(value as unknown[]));
  target[key] = list;
}

const own = (at: unknown, key: unknown): unknown =>
  typeof at === "object" && at !== null && Object.hasOwn(at, String(key))
    ? (at as Record<string, unknown>)[String(key)]
    : undefined;
