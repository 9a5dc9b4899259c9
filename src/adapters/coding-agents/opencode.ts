import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { hashText } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { type CliHost, type CliTask, dummyKey, type PreparedCli } from "../agents/agent-cli.ts";
import { locateProgram } from "../agents/find-cli.ts";
import { installSkills } from "../agents/install-skills.ts";
import { connectProvider, type ProviderModel, parseProviderModel } from "../agents/provider-upstream.ts";
import { opencodeReader } from "../agents/vendors/opencode-events.ts";
import { type PluginHost, type PluginPlace, versionIn } from "../plugins/plugin-host.ts";
import { openCodeSource } from "../transcripts/readers/opencode.ts";
import { agentFolder, type CodingAgent } from "./coding-agent.ts";

const login = "opencode auth login";

/** It has no command for folders: it reads the skills, commands and plugins in its config folder. */
const plugin: PluginHost = {
  firstWords: "/whetstone-status",
  places: (place) => [configFolder(place)],
  find: async (place) => readRecord(place)?.version,
  refuseForeign(place) {
    const { files = {} } = readRecord(place) ?? {};
    for (const [, to] of partsOf(place.folder)) {
      const file = join(configFolder(place), to);
      const written = files[to];
      if (!existsSync(file) || hashOf(file) === written) continue;
      throw new WhetstoneError(
        "already-installed",
        written === undefined
          ? `${file} already exists, and this command didn't create it.`
          : `You changed ${file}, and an install would replace it.`,
        { hint: "Move it away and run the command again. Nothing was written." },
      );
    }
  },
  async install(place) {
    const parts = partsOf(place.folder);
    for (const [from, to] of parts) {
      await mkdir(dirname(join(configFolder(place), to)), { recursive: true });
      await cp(join(place.folder, from), join(configFolder(place), to));
    }
    const record: InstallRecord = {
      version: versionIn(join(place.folder, ".claude-plugin", "plugin.json")) ?? "unknown",
      files: Object.fromEntries(parts.map(([, to]) => [to, hashOf(join(configFolder(place), to)) ?? ""])),
    };
    await mkdir(dirname(recordFile(place)), { recursive: true });
    await writeFile(recordFile(place), `${JSON.stringify(record, null, 2)}\n`);
  },
  async uninstall(place) {
    const { files = {} } = readRecord(place) ?? {};
    for (const [path, hash] of Object.entries(files)) {
      const file = join(configFolder(place), path);
      // files that a person has changed since are theirs
      if (hashOf(file) === hash) await rm(file);
    }
    await rm(recordFile(place), { force: true });
    for (const path of [...Object.keys(files), recordFile(place)])
      await removeEmpty(dirname(resolve(configFolder(place), path)), dirname(configFolder(place)));
  },
};

/** OpenCode, `opencode run`. */
export const opencode: CodingAgent<"opencode"> = {
  name: "opencode",
  label: "OpenCode",
  program: { name: "opencode", packageName: "opencode-ai", variables: ["OPENCODE"] },
  reads: { files: ["AGENTS.md", "CLAUDE.md"], firstOnly: true },
  memory: ".config/opencode/AGENTS.md",
  ownMemory: undefined,
  secrets: [".local/share/opencode/auth.json"],
  skills: {
    project: [".opencode/skills", ".opencode/skill"],
    home: [".config/opencode/skills", ".config/opencode/skill"],
  },
  cli: {
    login,
    vendor: undefined,
    connect: (host) => {
      const data = host.env["XDG_DATA_HOME"] ?? join(host.home, ".local/share");
      return connectProvider(host, { login, authFile: join(data, "opencode/auth.json") });
    },
    mounts: findRipgrep,
    prepare,
    createReader: opencodeReader,
  },
  transcripts: (host, place = join(agentFolder(host, "XDG_DATA_HOME", ".local/share"), "opencode")) =>
    openCodeSource({ home: place }),
  plugin,
};

/** Its skill and search tools need it. On the host it downloads one, which it can't do in the sandbox. */
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
      // a file, because a variable can't be longer than 128 kB
      ".config/opencode/opencode.json": JSON.stringify(configFor(task)),
      ...(task.instructions === undefined ? {} : { ".config/opencode/AGENTS.md": task.instructions }),
    },
    executable,
    command: (inside, program) => ({
      argv: [
        program,
        // without a title, it would first ask the model for one
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

/** One name for every model: the real one is only in the requests. */
const modelId = "whetstone/model";
const chatAgent = "chat";
const baseUrlVariable = "WHETSTONE_BASE_URL";

function configFor(task: CliTask): Json {
  const { name, protocol } = parseProviderModel(task.model);
  return {
    autoupdate: false,
    share: "disabled",
    // otherwise it would keep a git history of the workspace
    snapshot: false,
    model: modelId,
    small_model: modelId,
    enabled_providers: ["whetstone"],
    // the sandbox is the limit, and a question would end the run; its own skill is about itself
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
              // with an empty prompt it would use its own, which is for programming
              prompt: task.system || "Answer the message.",
              permission: { "*": "deny" },
            },
          },
        }
      : {}),
  };
}

/** Enough for a long file, and within most models' limits. */
const maxOutputTokens = 16_384;

/** All three are part of the program. */
const packages: Readonly<Record<ProviderModel["protocol"], string>> = {
  "anthropic-messages": "@ai-sdk/anthropic",
  "openai-responses": "@ai-sdk/openai",
  "openai-chat": "@ai-sdk/openai-compatible",
};

/** Only model calls, and no configuration except its home. */
const quiet = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
  OPENCODE_DISABLE_PROJECT_CONFIG: "1",
  OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
  OPENCODE_DISABLE_CLAUDE_CODE: "1",
} as const;

/** The destination of each plugin file. */
function partsOf(folder: string): readonly (readonly [from: string, to: string])[] {
  const all = (from: string, to: string): readonly (readonly [string, string])[] =>
    readdirSync(join(folder, from), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, from).length + 1))
      .map((path) => [join(from, path), join(to, path)]);
  return [...all("skills", "skills"), ...all("prompts", "commands"), ...all("opencode", "plugins")];
}

const recordSchema = z.object({
  version: z.string(),
  /** Path in the config folder → its bytes as written. */
  files: z.record(z.string(), z.string()),
});
type InstallRecord = z.infer<typeof recordSchema>;

const configFolder = (place: PluginPlace): string =>
  join(agentFolder(place, "XDG_CONFIG_HOME", ".config"), "opencode");
const recordFile = (place: PluginPlace): string => join(configFolder(place), "whetstone", "installed.json");

function readRecord(place: PluginPlace): InstallRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(recordFile(place), "utf8")));
  } catch {
    return undefined;
  }
}

function hashOf(file: string): string | undefined {
  try {
    return hashText(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Empty folders below `top`. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  if (folder === top || (await readdir(folder).catch(() => ["gone"])).length > 0) return;
  await rmdir(folder);
  await removeEmpty(dirname(folder), top);
}
