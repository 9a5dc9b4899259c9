import type { ToolSet } from "ai";
import { z } from "zod";
import type { AgentRequest } from "../../../core/ports/agent.ts";
import type { Sandbox, SandboxResult } from "../../../core/ports/sandbox.ts";
import { writeFiles } from "../../sandboxes/workspace-files.ts";
import type { Workspace } from "../../workspaces/lay-workspace.ts";
import { skillNamedIn } from "../install-skills.ts";
import type { RolloutRecord } from "../rollout-record.ts";
import type { Halt } from "./sdk-loop-halt.ts";
import { listWithin, readWithin } from "./sdk-loop-files.ts";

/** Where the skills are, from the home. */
export const skillsFolder = ".agents/skills";

export interface ToolPlace {
  readonly request: AgentRequest;
  readonly sandbox: Sandbox;
  /** Host folders. */
  readonly workspace: string;
  readonly laid: Workspace;
  readonly home: string;
  readonly volume: string | undefined;
  readonly halt: Halt;
  readonly record: RolloutRecord;
}

/** What a tool answers; one that throws has failed too. */
interface Answer {
  readonly text: string;
  readonly failed?: boolean;
}

/** The five tools of the loop. Files are read and written on the host's copy; processes run in the sandbox alone. */
export function createTools(ai: typeof import("ai"), place: ToolPlace): ToolSet {
  const act = inTurn(place);
  const path = z.string().describe("Relative to the workspace, or to the home with ~/ before it.");
  return {
    read_file: ai.tool({
      description: "Reads a text file.",
      inputSchema: z.object({ path }),
      execute: (input, { toolCallId }) =>
        act(toolCallId, async () => {
          const text = await readWithin(...locate(place, input.path));
          noteSkill(place, input.path);
          return { text: clip(text, maxFileCharacters) };
        }),
    }),
    write_file: ai.tool({
      description: "Writes a text file of the workspace, whole; folders are made as needed.",
      inputSchema: z.object({ path: z.string().describe("Relative to the workspace."), content: z.string() }),
      execute: (input, { toolCallId }) =>
        act(toolCallId, async () => {
          await writeFiles(place.workspace, { [plainPath(input.path)]: input.content });
          return { text: `Wrote ${input.path}.` };
        }),
    }),
    list_files: ai.tool({
      description: "Lists the files below a folder.",
      inputSchema: z.object({ path: path.optional() }),
      execute: (input, { toolCallId }) =>
        act(toolCallId, async () => {
          const files = await listWithin(...locate(place, input.path ?? ""));
          return { text: files.length === 0 ? "No files." : clip(files.join("\n"), maxOutputCharacters) };
        }),
    }),
    run: ai.tool({
      description: `Runs a shell command in the workspace, without network, for at most ${commandSeconds} seconds.`,
      inputSchema: z.object({ command: z.string() }),
      execute: (input, { toolCallId }) =>
        act(toolCallId, async (secondsLeft) =>
          runCommand(input.command, Math.min(commandSeconds, secondsLeft), place),
        ),
    }),
    ...(place.request.skills.length === 0
      ? {}
      : {
          load_skill: ai.tool({
            description: "Gives the instructions of a skill and the folder with its other files.",
            inputSchema: z.object({ name: z.string() }),
            execute: (input, { toolCallId }) =>
              act(toolCallId, () => Promise.resolve(loadSkill(input.name, place))),
          }),
        }),
  };
}

/**
 * One tool at a time, although a model may call several at once: a command must not move a folder between the check of
 * a path and its use. Their time counts against the limit; a failure of the sandbox ends the rollout.
 */
function inTurn({ request, halt, record }: ToolPlace) {
  let last: Promise<unknown> = Promise.resolve();
  let activeMs = 0;
  const perform = async (id: string, tool: (secondsLeft: number) => Promise<Answer>): Promise<string> => {
    halt.signal.throwIfAborted();
    const limitMs = request.limits.seconds * 1000;
    const started = performance.now();
    try {
      const { text, failed = false } = await tool(Math.max(1, Math.ceil((limitMs - activeMs) / 1000)));
      record.result(id, text, failed);
      return text;
    } catch (error) {
      record.result(id, error instanceof Error ? error.message : String(error), true);
      throw error;
    } finally {
      activeMs += performance.now() - started;
      if (activeMs >= limitMs) halt.stop({ ended: "time" });
    }
  };
  return (id: string, tool: (secondsLeft: number) => Promise<Answer>): Promise<string> => {
    const next = last.then(() => perform(id, tool));
    last = next.catch(() => undefined);
    return next;
  };
}

async function runCommand(command: string, seconds: number, place: ToolPlace): Promise<Answer> {
  const { request, sandbox, workspace, laid, home, volume, halt } = place;
  const { memoryMb, processes, diskMb } = request.limits;
  let result: SandboxResult;
  try {
    const job = {
      workspace,
      home,
      volume,
      command: () => ({ argv: ["/bin/sh", "-c", command] }),
      within: laid.within,
      limits: laid.limits({ seconds, memoryMb, processes, diskMb }),
    };
    result = await sandbox.run(job, halt.signal);
  } catch (error) {
    halt.stop({ error });
    throw error;
  }
  const { ended, exitCode } = result;
  if (ended === "memory" || ended === "processes" || ended === "disk") halt.stop({ ended });
  const said = [result.stdout, result.stderr].filter((text) => text.trim() !== "").join("\n");
  const how = ended === "exit" ? `exit code ${exitCode}` : `ended after ${seconds} s: ${ended} limit`;
  const isDone = ended === "exit" && exitCode === 0;
  if (isDone) noteSkill(place, command);
  const status = isDone ? "" : `[${how}]`;
  const text = [clip(said, maxOutputCharacters), status].filter((part) => part !== "").join("\n");
  return { text: text || "No output.", failed: !isDone };
}

function loadSkill(name: string, { request, record }: ToolPlace): Answer {
  const skill = request.skills.find((one) => one.name === name);
  if (skill === undefined) {
    const names = request.skills.map((one) => one.name).join(", ");
    return { text: `There is no skill "${name}"; there are: ${names}.`, failed: true };
  }
  record.load(name);
  const others = Object.keys(skill.files).filter((path) => path !== "SKILL.md");
  const beside = others.length === 0 ? "" : ` It also holds: ${others.toSorted().join(", ")}.`;
  return {
    text: `The folder of this skill is ~/${skillsFolder}/${name}.${beside}\n\n${skill.files["SKILL.md"] ?? ""}`,
  };
}

/** An agent that reads a skill's file by itself has loaded it as well. */
function noteSkill({ request, record }: ToolPlace, text: string): void {
  const skill = skillNamedIn(text, request.skills);
  if (skill !== undefined) record.load(skill);
}

/** A host folder and a path below it. */
function locate({ workspace, home }: ToolPlace, path: string): readonly [folder: string, path: string] {
  return path === "~" || path.startsWith("~/")
    ? [home, plainPath(path.slice(2))]
    : [workspace, plainPath(path)];
}

const plainPath = (path: string): string => path.replace(/^(?:\.\/+)+|^\.$|\/+$/g, "");

function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most / 2)}\n[… ${text.length - most} characters left out …]\n${text.slice(-most / 2)}`;
}

const commandSeconds = 120;
const maxFileCharacters = 60_000;
const maxOutputCharacters = 20_000;
