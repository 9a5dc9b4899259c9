import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { ScriptedToolCall } from "../../src/testing/index.ts";

/** How a real agent is asked for our status command, with nobody at the keyboard. */
export interface Host {
  readonly name: string;
  readonly program: string;
  /** Gemini's own protocol instead of the others'. */
  readonly isGemini?: boolean;
  /** Left out of the short form. */
  readonly isSlow?: boolean;
  /** Files that it wants before it starts, below its home. */
  readonly files?: (url: string) => Readonly<Record<string, string>>;
  readonly env: (url: string) => Readonly<Record<string, string>>;
  readonly args: (url: string) => readonly string[];
  readonly shell: (line: string) => ScriptedToolCall;
  /** What its model is told of the plugin: the command's words, or the skill where it has no commands. */
  readonly told: string;
  /** How it refuses an adopt by rules of its own that the plugin brings; without them the command does. */
  readonly rule?: string;
  /** Whether the end of a conversation is marked. */
  readonly marks: boolean;
  /** What it prints, without a window, of the line at the start. */
  readonly line?: string;
  /** What it keeps for itself, also about a plugin that is gone: a pattern of paths below its home. */
  readonly keeps: RegExp;
}

const commandWords = "Say how things stand in this project";
const skillWords = "Trains agent skills and memory files";

const bash =
  (name: string, more: Readonly<Record<string, string>> = {}) =>
  (command: string): ScriptedToolCall => ({ name, arguments: { command, ...more } });
const look = { description: "Look" };

export const hosts: readonly Host[] = [
  {
    name: "claude-code",
    program: "claude",
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "sk-none",
      IS_SANDBOX: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    args: () =>
      "-p /whetstone:status --model claude-sonnet-4-5 --permission-mode bypassPermissions --output-format stream-json --verbose --include-hook-events".split(
        " ",
      ),
    line: "Whetstone: 3 rules wait for you, 2 work on your tasks (whetstone review).",
    shell: bash("Bash", look),
    told: commandWords,
    marks: true,
    keeps: /^\.claude\.json|^\.claude\/(?:backups|projects|telemetry|history|shell-snapshots|todos|debug)/,
  },
  {
    name: "codex",
    program: "codex",
    env: () => ({ PROOF_KEY: "none" }),
    args: (url) => [
      ..."exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust -m gpt-5-codex".split(
        " ",
      ),
      ...Object.entries({
        model_provider: '"proof"',
        "model_providers.proof": `{name="proof",base_url="${url}/v1",wire_api="responses",env_key="PROOF_KEY"}`,
        "analytics.enabled": "false",
        check_for_update_on_startup: "false",
      }).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
      "$whetstone How do things stand?",
    ],
    line: "hook: SessionStart Completed",
    shell: (cmd) => ({ name: "exec_command", arguments: { cmd, yield_time_ms: 30_000 } }),
    told: skillWords,
    marks: true,
    keeps: /^\.codex\/(?:sessions|log|tmp|\.tmp|.*\.sqlite|history|shell_snapshots|models_cache)/,
  },
  {
    name: "copilot-cli",
    program: "copilot",
    isSlow: true,
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: "sk-none",
      COPILOT_MODEL: "gpt-4.1",
      COPILOT_AUTO_UPDATE: "false",
    }),
    args: () => ["-p", "How does Whetstone stand here?", "--allow-all-tools", "--disable-client-telemetry"],
    shell: bash("bash", look),
    told: skillWords,
    marks: true,
    keeps: /^\.copilot\/(?:logs|session-state|history|.*\.db)|^\.cache\/copilot/,
  },
  {
    name: "gemini-cli",
    program: "gemini",
    isSlow: true,
    isGemini: true,
    files: () => ({
      ".gemini/settings.json": JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      }),
    }),
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "none" }),
    args: () => ["-p", "/whetstone:status", "-m", "gemini-2.5-flash", "--yolo", "--skip-trust"],
    shell: bash("run_shell_command", look),
    told: commandWords,
    rule: "This needs a person's word",
    marks: true,
    keeps: /^\.gemini\/(?:tmp|history|projects|extension_integrity\.json|extensions\/extension-enablement)/,
  },
  {
    name: "opencode",
    program: "opencode",
    isSlow: true,
    files: (url) => ({
      ".config/opencode/opencode.json": JSON.stringify({
        autoupdate: false,
        share: "disabled",
        snapshot: false,
        model: "proof/model",
        small_model: "proof/model",
        enabled_providers: ["proof"],
        permission: { "*": "allow" },
        provider: {
          proof: {
            npm: "@ai-sdk/openai-compatible",
            name: "proof",
            options: { baseURL: `${url}/v1`, apiKey: "none" },
            models: {
              model: { id: "scripted", name: "scripted", limit: { context: 200_000, output: 8000 } },
            },
          },
        },
      }),
    }),
    env: () => ({
      // beside any plugin it installs a package of its own, which need not come over the network each time
      npm_config_cache: join(homedir(), ".npm"),
      npm_config_prefer_offline: "true",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    }),
    args: () => "run --title status --command whetstone-status now".split(" "),
    shell: bash("bash", look),
    told: commandWords,
    rule: "prevents you from using",
    marks: false,
    keeps: /^\.local\/(?:share|state)\/opencode|^\.cache\/opencode/,
  },
  {
    name: "pi",
    program: "pi",
    files: (url) => ({
      ".pi/agent/models.json": JSON.stringify({
        providers: {
          proof: {
            baseUrl: `${url}/v1`,
            api: "openai-completions",
            apiKey: "none",
            models: [
              {
                id: "scripted",
                name: "scripted",
                reasoning: false,
                input: ["text"],
                cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
                contextWindow: 200_000,
                maxTokens: 8000,
              },
            ],
          },
        },
      }),
    }),
    env: () => ({ PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" }),
    args: () => "-p --provider proof --model scripted /whetstone-status".split(" "),
    shell: bash("bash"),
    told: commandWords,
    marks: false,
    keeps: /^\.pi\/agent\/sessions/,
  },
];

export function writeFiles(home: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
}
