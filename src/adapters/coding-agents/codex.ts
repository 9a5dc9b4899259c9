import { join } from "node:path";
import { z } from "zod";
import { type CliTask, dummyKey, type PreparedCli } from "../agents/agent-cli.ts";
import { installSkills } from "../agents/install-skills.ts";
import { codexReader } from "../agents/vendors/codex-events.ts";
import { codexTranscript } from "../agents/vendors/earlier-transcripts.ts";
import { connectCodex } from "../agents/vendors/codex-login.ts";
import { marketplace, removeCopy } from "../plugins/marketplace.ts";
import { isWithin } from "../project-matcher.ts";
import { readOwnMemory } from "../read-own-memory.ts";
import { codexSource } from "../transcripts/readers/codex.ts";
import { type AgentHost, agentFolder, type CodingAgent } from "./coding-agent.ts";

const folderOf = (host: AgentHost): string => agentFolder(host, "CODEX_HOME", ".codex");

/** OpenAI's Codex, `codex exec`. */
export const codex: CodingAgent<"codex"> = {
  name: "codex",
  label: "Codex",
  program: {
    name: "codex",
    packageName: "@openai/codex",
    variables: ["CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX"],
  },
  reads: { files: ["AGENTS.md"] },
  memory: ".codex/AGENTS.md",
  ownMemory: (host, project, place = folderOf(host)) =>
    readOwnMemory(join(place, "memories"), ["MEMORY.md", "memory_summary.md"]).map(({ name, text }) => ({
      name,
      text: memoryOf(project, text),
    })),
  secrets: [".codex/auth.json"],
  skills: { project: [".agents/skills", ".codex/skills"], home: [] },
  cli: {
    login: "codex login",
    vendor: {
      provider: "openai",
      addresses: ["https://api.openai.com/v1", "https://chatgpt.com/backend-api/codex"],
      variables: ["OPENAI_API_KEY", "CODEX_API_KEY"],
    },
    connect: connectCodex,
    resumes: true,
    prepare,
    createReader: (task) => codexReader(task.skills),
  },
  transcripts: (host, place = folderOf(host)) => codexSource({ home: place }),
  plugin: marketplace({
    firstWords: "$whetstone how do things stand?",
    places: (place) => ["config.toml", "plugins"].map((name) => join(folderOf(place), name)),
    words: ["add", "remove"],
    read: (printed) =>
      z
        .object({ installed: z.array(z.object({ pluginId: z.string(), version: z.string() })) })
        .parse(printed)
        .installed.map(({ pluginId, version }) => ({ id: pluginId, version })),
    // it leaves an empty folder behind
    clear: (place) => removeCopy(folderOf(place)),
  }),
};

/** Codex keeps all projects in the same files, so we leave out other folders' task groups and the list of everything. */
const memoryOf = (project: string, text: string): string =>
  text
    .split(/^(?=# |## What's in Memory)/m)
    .filter((block) => {
      const cwd = /^applies_to:.*?\bcwd=([^;\n]+)/m.exec(block)?.[1] ?? "";
      const folders = cwd.match(/[~/][\w./-]*/g) ?? [];
      return (
        !block.startsWith("## What's") &&
        (folders.length === 0 || folders.some((one) => isWithin(project, one) || isWithin(one, project)))
      );
    })
    .join("");

function prepare(task: CliTask): PreparedCli {
  const { files, executable } = installSkills(".codex/skills", task.skills);
  const earlier = task.before && codexTranscript(task.before);
  return {
    home: {
      ".codex/system.md": task.system ?? "",
      ...files,
      ...(task.instructions === undefined ? {} : { ".codex/AGENTS.md": task.instructions }),
      ...(earlier === undefined ? {} : { [`.codex/sessions/2000/01/01/${earlier.name}`]: earlier.text }),
    },
    executable,
    command: (inside, program) => ({
      argv: [
        program,
        "exec",
        ...(earlier === undefined ? [] : ["resume"]),
        ..."--json --ephemeral --skip-git-repo-check --ignore-user-config --ignore-rules".split(" "),
        // the sandbox is the limit
        "--dangerously-bypass-approvals-and-sandbox",
        ...["plugins", "apps", "hooks", "multi_agent", "goals", "image_generation"].flatMap(disable),
        ...(task.toolless ? ["shell_tool", "unified_exec", "view_image"].flatMap(disable) : []),
        ...Object.entries({
          // the built-in provider tries WebSockets first
          model_provider: '"whetstone"',
          "model_providers.whetstone": providerAt(`${inside.baseUrl}/v1`),
          "analytics.enabled": "false",
          check_for_update_on_startup: "false",
          "skills.bundled.enabled": "false",
          // we don't follow the workspace's instructions
          project_doc_max_bytes: "0",
          web_search: '"disabled"',
          ...(task.toolless ? asChatModel(`${inside.home}/.codex/system.md`) : {}),
        }).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
        "-m",
        task.model,
        ...(earlier === undefined ? [] : [earlier.id]),
        "-",
      ],
      env: { CODEX_HOME: `${inside.home}/.codex`, [keyVariable]: dummyKey },
      stdin: task.prompt,
    }),
  };
}

const keyVariable = "WHETSTONE_KEY";

const disable = (feature: string): readonly string[] => ["--disable", feature];

/** No retry for a refused request, and one for a broken stream: our own lane decides about the rest. */
const providerAt = (baseUrl: string): string =>
  `{name="whetstone",base_url="${baseUrl}",wire_api="responses",env_key="${keyVariable}",request_max_retries=0,stream_max_retries=1}`;

/** Without its own instructions, the request contains only the system prompt and the prompt. */
const asChatModel = (systemFile: string) => ({
  model_instructions_file: `"${systemFile}"`,
  "skills.include_instructions": "false",
  include_permissions_instructions: "false",
  include_environment_context: "false",
  include_collaboration_mode_instructions: "false",
});
