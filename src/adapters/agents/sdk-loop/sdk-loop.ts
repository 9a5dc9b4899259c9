import { mkdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Agent, AgentCall, AgentRequest, AgentRun } from "../../../core/ports/agent.ts";
import type { Sandbox } from "../../../core/ports/sandbox.ts";
import type { Price } from "../../../core/work/price.ts";
import { readFrontmatter } from "../../../core/skill/frontmatter.ts";
import { loadPeer } from "../../load-peer.ts";
import { type Diagnose, explainError } from "../../models/ai-sdk.ts";
import { type ResolveModelSettings, resolveLanguageModel } from "../../models/providers.ts";
import { type OwnVolume, openVolume } from "../../sandboxes/own-volume.ts";
import { writeFiles } from "../../sandboxes/workspace-files.ts";
import type { Checkouts } from "../../workspaces/git-checkout.ts";
import { layWorkspace, roomFor } from "../../workspaces/lay-workspace.ts";
import { installSkills } from "../install-skills.ts";
import { createRecord } from "../rollout-record.ts";
import { createHalt } from "./sdk-loop-halt.ts";
import { meterModel } from "./sdk-loop-meter.ts";
import { createTools, skillsFolder } from "./sdk-loop-tools.ts";

export interface SdkLoopOptions extends Pick<ResolveModelSettings, "providers" | "env" | "timeoutMs"> {
  /** `provider/model`. */
  readonly model: string;
  /** Where its `run` tool runs. */
  readonly sandbox: Sandbox;
  /** For tasks that start from a commit. */
  readonly checkouts?: Checkouts;
  readonly priceOf: (model: string) => Price | undefined;
}

/**
 * The AI SDK's own agent loop, for people without an agent CLI: `agent/<provider>/<model>`. The model is called from
 * here, so no credentials are near the sandbox; of its tools only `run` starts processes, in the sandbox and without network.
 */
export async function sdkLoopAgent(options: SdkLoopOptions): Promise<Agent> {
  const ai = await loadPeer<Ai>("ai");
  const { model, ...server } = await resolveLanguageModel(options.model, options);
  return {
    id: `agent/${options.model}`,
    version: "1",
    // it waits for its model most of the time
    parallel: 4 * availableParallelism(),
    async run(request, call) {
      call.signal.throwIfAborted();
      const size = await roomFor(request, options.checkouts, request.limits.diskMb);
      await using own = await openVolume("agent", options.sandbox, size);
      return await rollOut({ ...options, ai, languageModel: model, ...server, own }, request, call);
    },
  };
}

type Ai = typeof import("ai");

interface Rollout extends SdkLoopOptions {
  readonly ai: Ai;
  readonly languageModel: LanguageModelV4;
  readonly secrets: readonly string[];
  readonly diagnose: Diagnose;
  readonly host: string | undefined;
  readonly own: OwnVolume;
}

async function rollOut(rollout: Rollout, request: AgentRequest, call: AgentCall): Promise<AgentRun> {
  const { ai, own, sandbox } = rollout;
  const [workspace, home] = [join(own.room, "workspace"), join(own.room, "home")];
  const laid = await layWorkspace(workspace, request, rollout.checkouts);
  await mkdir(home);
  const { files, executable } = installSkills(skillsFolder, request.skills);
  await writeFiles(home, files, executable);

  const record = createRecord();
  const halt = createHalt(call.signal);
  const metered = meterModel(rollout, { request, call, halt, record });
  const tools = createTools(ai, {
    request,
    sandbox,
    workspace,
    laid,
    home,
    volume: own.volume,
    halt,
    record,
  });
  let finish: string | undefined;
  try {
    const result = await ai.generateText({
      model: metered.model,
      instructions: instructionsFor(request),
      prompt: request.prompt,
      tools,
      stopWhen: [
        ai.isStepCount(request.limits.turns),
        () => request.untilSkill === true && record.read().loaded.length > 0,
      ],
      maxOutputTokens,
      maxRetries: 0,
      abortSignal: halt.signal,
      // calls of tools that do not exist, or with the wrong input, end without our tools
      onStepEnd: ({ content }) => {
        for (const part of content) {
          if (part.type === "tool-error") record.result(part.toolCallId, String(part.error), true);
        }
      },
    });
    finish = result.finishReason;
  } catch (error) {
    call.signal.throwIfAborted();
    const { secrets, diagnose } = rollout;
    // of its many first calls only what is refused is looked into: the rest passes
    const explain = { secrets, diagnose, hasAnswered: true, signal: call.signal };
    if (halt.reason() === undefined) throw await explainError(error, explain);
  }
  const reason = halt.reason();
  if (reason !== undefined && "error" in reason) throw reason.error;
  const { text, toolCalls, conversation, loaded } = record.read();
  return {
    text,
    ended: reason?.ended ?? endingOf(finish, request, loaded),
    toolCalls,
    changed: (await laid.changes()).changed,
    skills: { offered: request.skills.map(({ name }) => name), loaded },
    conversation,
    ...metered.spent(),
    ...(rollout.host === undefined ? {} : { host: rollout.host }),
  };
}

/** Room for a long file, and within what most models give. */
const maxOutputTokens = 16_384;

function endingOf(
  finish: string | undefined,
  request: AgentRequest,
  loaded: readonly string[],
): AgentRun["ended"] {
  if (finish === "length") return "length";
  if (finish === "content-filter") return "refused";
  if (finish === "tool-calls") return request.untilSkill === true && loaded.length > 0 ? "done" : "turns";
  return "done";
}

/** Says what is there, and nothing about how to do a task. */
function instructionsFor({ skills, instructions }: AgentRequest): string {
  const described = skills.map(
    ({ name, files }) =>
      `<skill>\n<name>${name}</name>\n<description>${descriptionOf(files["SKILL.md"] ?? "")}</description>\n</skill>`,
  );
  return [
    "You work in a folder, the workspace, with the tools that you are given. Do what the user asks, then say briefly what you did. Nobody can answer questions.",
    ...(instructions === undefined ? [] : [instructions]),
    ...(described.length === 0
      ? []
      : [
          `Skills hold instructions for particular kinds of work. When one fits the request, load it with load_skill before you begin.\n<available_skills>\n${described.join("\n")}\n</available_skills>`,
        ]),
  ].join("\n\n");
}

function descriptionOf(text: string): string {
  const read = readFrontmatter(text);
  const description = read.kind === "read" ? read.fields["description"] : undefined;
  return typeof description === "string" ? description : "";
}
