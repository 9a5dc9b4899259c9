import { join } from "node:path";
import type { Json } from "../../../core/json.ts";
import { type AgentCli, type CliHost, type CliTask, dummyKey, type PreparedCli } from "../agent-cli.ts";
import { locateProgram } from "../find-cli.ts";
import { installSkills } from "../install-skills.ts";
import { opencodeReader } from "./opencode-events.ts";
import { connectProvider, type ProviderModel, parseProviderModel } from "../provider-upstream.ts";

/** OpenCode, `opencode run`. */
export const opencode: AgentCli = {
  name: "opencode",
  program: "opencode",
  packageName: "opencode-ai",
  login: "opencode auth login",
  provider: (model) => parseProviderModel(model).provider,
  connect: (host) => {
    const data = host.env["XDG_DATA_HOME"] ?? join(host.home, ".local/share");
    return connectProvider(host, { login: opencode.login, authFile: join(data, "opencode/auth.json") });
  },
  mounts: findRipgrep,
  prepare,
  createReader: opencodeReader,
};

/** Its skill and search tools need it; on the host it fetches one for itself, which the box cannot. */
function findRipgrep({ env, home }: CliHost): Readonly<Record<string, string>> {
  const own = join(env["XDG_CACHE_HOME"] ?? join(home, ".cache"), "opencode/bin/rg");
  const found = locateProgram("rg", env) ?? locateProgram(own, env);
  return found === undefined ? {} : { [found.program]: "/opt/whetstone/bin/rg" };
}

function prepare(task: CliTask): PreparedCli {
  const { files, executable } = installSkills(".config/opencode/skills", task.skills);
  return {
    home: {
      ...files,
      // a file, because a variable may not be longer than 128 kB
      ".config/opencode/opencode.json": JSON.stringify(configFor(task)),
      ...(task.instructions === undefined ? {} : { ".config/opencode/AGENTS.md": task.instructions }),
    },
    executable,
    command: (inside, program) => ({
      argv: [
        program,
        // without a title it would ask the model for one first
        ...`run --format json --pure --title task -m ${modelId}`.split(" "),
        ...(task.toolless ? ["--agent", chatAgent] : []),
      ],
      env: {
        ...quiet,
        XDG_CONFIG_HOME: `${inside.home}/.config`,
        XDG_DATA_HOME: `${inside.home}/.local/share`,
        XDG_STATE_HOME: `${inside.home}/.local/state`,
        XDG_CACHE_HOME: `${inside.home}/.cache`,
        [baseUrlVariable]: `${inside.baseUrl}/v1`,
      },
      // a prompt among the arguments would arrive in quotation marks
      stdin: task.prompt,
    }),
  };
}

/** One name for whatever model it is: the real one is only in the requests. */
const modelId = "whetstone/model";
const chatAgent = "chat";
const baseUrlVariable = "WHETSTONE_BASE_URL";

function configFor(task: CliTask): Json {
  const { name, protocol } = parseProviderModel(task.model);
  return {
    autoupdate: false,
    share: "disabled",
    // it would keep a git history of the workspace
    snapshot: false,
    model: modelId,
    small_model: modelId,
    enabled_providers: ["whetstone"],
    // the box is the limit, and a question would end the run; its own skill is about itself
    permission: { "*": "allow", skill: { "*": "allow", "customize-opencode": "deny" } },
    provider: {
      whetstone: {
        npm: packages[protocol],
        name: "whetstone",
        options: { baseURL: `{env:${baseUrlVariable}}`, apiKey: dummyKey },
        models: {
          model: { id: name, name, limit: { context: 200_000, output: task.maxTokens ?? maxOutputTokens } },
        },
      },
    },
    ...(task.toolless
      ? {
          agent: {
            [chatAgent]: {
              mode: "primary",
              // with an empty one it would use its own, for programmers
              prompt: task.system || "Answer the message.",
              permission: { "*": "deny" },
            },
          },
        }
      : {}),
  };
}

/** Enough for a long file, and within what most models give. */
const maxOutputTokens = 16_384;

/** All three are part of the program. */
const packages: Readonly<Record<ProviderModel["protocol"], string>> = {
  "anthropic-messages": "@ai-sdk/anthropic",
  "openai-responses": "@ai-sdk/openai",
  "openai-chat": "@ai-sdk/openai-compatible",
};

/** Nothing but model calls, and nothing that steers it but its home. */
const quiet = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  OPENCODE_DISABLE_PROJECT_CONFIG: "1",
  OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
  OPENCODE_DISABLE_CLAUDE_CODE: "1",
} as const;
