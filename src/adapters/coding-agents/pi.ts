import { readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { z } from "zod";
import type { Json } from "../../core/json.ts";
import { type CliTask, dummyKey, type PreparedCli } from "../agents/agent-cli.ts";
import { installSkills } from "../agents/install-skills.ts";
import { connectProvider, type ProviderModel, parseProviderModel } from "../agents/provider-upstream.ts";
import { piReader } from "../agents/vendors/pi-events.ts";
import { type PluginHost, type PluginPlace, versionIn } from "../plugins/plugin-host.ts";
import { piSource } from "../transcripts/readers/pi.ts";
import { type AgentHost, agentFolder, type CodingAgent } from "./coding-agent.ts";

const login = "pi, then /login";
const folderOf = (host: AgentHost): string => agentFolder(host, "PI_CODING_AGENT_DIR", ".pi/agent");

/** It loads a package from its place, and remembers the path. */
const plugin: PluginHost = {
  firstWords: "/whetstone-status",
  places: (place) => [settingsFile(place)],
  find: async (place) => {
    const [folder] = installedFolders(place);
    return folder === undefined
      ? undefined
      : (versionIn(join(folder, ".claude-plugin", "plugin.json")) ?? "of a folder that is gone");
  },
  install: async ({ run, folder }) => {
    await run(["install", folder]);
  },
  uninstall: async (place) => {
    for (const folder of installedFolders(place)) await place.run(["remove", folder]);
  },
};

/** pi, `pi --mode json -p`. */
export const pi: CodingAgent<"pi"> = {
  name: "pi",
  label: "pi",
  program: { name: "pi", packageName: "@mariozechner/pi-coding-agent", variables: ["PI_CODING_AGENT"] },
  reads: { files: ["AGENTS.md", "CLAUDE.md"], firstOnly: true },
  memory: ".pi/agent/AGENTS.md",
  ownMemory: undefined,
  secrets: [".pi/agent/auth.json"],
  skills: { project: [".pi/skills"], home: [".pi/agent/skills"] },
  cli: {
    login,
    vendor: undefined,
    connect: (host) => {
      const folder = host.env["PI_CODING_AGENT_DIR"] ?? join(host.home, ".pi/agent");
      return connectProvider(host, { login, authFile: join(folder, "auth.json") });
    },
    prepare,
    createReader: (task) => piReader(task.skills),
  },
  transcripts: (host, place = folderOf(host)) => piSource({ home: place }),
  plugin,
};

function prepare(task: CliTask): PreparedCli {
  const { files, executable } = installSkills(".pi/agent/skills", task.skills);
  return {
    home: {
      ...files,
      ".pi/agent/settings.json": JSON.stringify(settings),
      // its AGENTS.md wouldn't do: pi reads it together with the workspace's, or not at all
      ...(task.instructions === undefined ? {} : { ".pi/agent/APPEND_SYSTEM.md": task.instructions }),
      ...(task.toolless ? { ".pi/agent/SYSTEM.md": task.system || "Answer the message." } : {}),
    },
    executable,
    command: (inside, program) => ({
      argv: [
        // the model's address is only known inside, and pi only reads it from this file
        "/bin/sh",
        "-c",
        'printf %s "$MODELS" > "$PI_CODING_AGENT_DIR/models.json"; exec "$0" "$@"',
        program,
        ..."--mode json -p --no-session --no-extensions --no-prompt-templates --no-themes".split(" "),
        // we don't follow the workspace's instructions
        "--no-context-files",
        ...(task.toolless ? ["--no-tools", "--no-skills"] : []),
        "--provider",
        "whetstone",
        "--model",
        parseProviderModel(task.model).name,
      ],
      env: {
        PI_CODING_AGENT_DIR: `${inside.home}/.pi/agent`,
        PI_OFFLINE: "1",
        PI_TELEMETRY: "0",
        PI_SKIP_VERSION_CHECK: "1",
        MODELS: JSON.stringify(modelsFor(task, inside.baseUrl)),
      },
      stdin: task.prompt,
    }),
  };
}

/** Neither the agent nor its client retries, because our own lane does. */
const settings = { retry: { enabled: false, provider: { maxRetries: 0 } } } as const;

function modelsFor(task: CliTask, baseUrl: string): Json {
  const { name, protocol } = parseProviderModel(task.model);
  return {
    providers: {
      whetstone: {
        // Anthropic's own client adds the version to the address
        baseUrl: protocol === "anthropic-messages" ? baseUrl : `${baseUrl}/v1`,
        api: apis[protocol],
        apiKey: dummyKey,
        models: [
          {
            id: name,
            name,
            reasoning: false,
            input: ["text"],
            cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
            contextWindow: 200_000,
            maxTokens: task.maxTokens ?? maxOutputTokens,
            ...(protocol === "openai-chat" ? { compat: plainServer } : {}),
          },
        ],
      },
    },
  };
}

/** Enough for a long file, and within most models' limits. */
const maxOutputTokens = 16_384;

const apis: Readonly<Record<ProviderModel["protocol"], string>> = {
  "anthropic-messages": "anthropic-messages",
  "openai-responses": "openai-responses",
  "openai-chat": "openai-completions",
};

/** Options every OpenAI chat completions server supports; pi would guess them from an address that isn't theirs. */
const plainServer = {
  supportsStore: false,
  supportsDeveloperRole: false,
  supportsReasoningEffort: false,
  maxTokensField: "max_tokens",
} as const;

const settingsFile = (place: PluginPlace): string => join(folderOf(place), "settings.json");

const settingsSchema = z.object({
  packages: z.array(z.union([z.string(), z.object({ source: z.string() })])).default([]),
});

/** Paths in its settings are resolved against the settings' folder. */
function installedFolders(place: PluginPlace): readonly string[] {
  try {
    const { packages } = settingsSchema.parse(JSON.parse(readFileSync(settingsFile(place), "utf8")));
    return packages
      .map((one) => resolve(folderOf(place), typeof one === "string" ? one : one.source))
      .filter((path) => path.endsWith(join(sep, "plugins", "whetstone")));
  } catch {
    return [];
  }
}
