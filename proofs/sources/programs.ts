import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Servers {
  readonly scripted: string;
  readonly gemini: string;
}

/** How a program is asked something, by hand of no one. */
export interface Program {
  readonly source: "claude-code" | "copilot-cli" | "gemini-cli" | "qwen-code";
  readonly command: string;
  /** The tool that runs a command line, and what it is given. */
  readonly shell: (line: string) => {
    readonly name: string;
    readonly arguments: Readonly<Record<string, string | boolean>>;
  };
  /** Files that it wants before it starts. */
  readonly prepare?: (home: string) => void;
  readonly env: (servers: Servers) => Readonly<Record<string, string>>;
  /** The first prompt, or a later one in the same conversation. */
  readonly args: (prompt: string, session: string, isFirst: boolean) => readonly string[];
}

const bash =
  (name: string, more: Readonly<Record<string, string | boolean>> = {}) =>
  (line: string) => ({ name, arguments: { command: line, ...more } });

/** The programs that run without a login against a server on loopback. */
export const programs: readonly Program[] = [
  {
    source: "claude-code",
    command: "claude",
    shell: bash("Bash", { description: "Look" }),
    env: ({ scripted }) => ({
      ANTHROPIC_BASE_URL: scripted,
      ANTHROPIC_API_KEY: "sk-none",
      IS_SANDBOX: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    args: (prompt, session, isFirst) => [
      "-p",
      prompt,
      "--model",
      "claude-sonnet-4-5",
      "--permission-mode",
      "bypassPermissions",
      isFirst ? "--session-id" : "--resume",
      session,
    ],
  },
  {
    source: "copilot-cli",
    command: "copilot",
    shell: bash("bash", { description: "Look" }),
    env: ({ scripted }) => ({
      COPILOT_PROVIDER_BASE_URL: `${scripted}/v1`,
      COPILOT_PROVIDER_API_KEY: "sk-none",
      COPILOT_MODEL: "gpt-4.1",
      COPILOT_AUTO_UPDATE: "false",
    }),
    args: (prompt, session) => [
      "-p",
      prompt,
      "--allow-all-tools",
      "--disable-client-telemetry",
      "--session-id",
      session,
    ],
  },
  {
    source: "gemini-cli",
    command: "gemini",
    shell: bash("run_shell_command", { description: "Look" }),
    prepare(home) {
      mkdirSync(join(home, ".gemini"), { recursive: true });
      const settings = {
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true },
      };
      writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
    },
    env: ({ gemini }) => ({ GOOGLE_GEMINI_BASE_URL: gemini, GEMINI_API_KEY: "none" }),
    args: (prompt, _session, isFirst) => [
      "-p",
      prompt,
      "-m",
      "gemini-2.5-flash",
      "--yolo",
      "--skip-trust",
      ...(isFirst ? [] : ["--resume", "latest"]),
    ],
  },
  {
    source: "qwen-code",
    command: "qwen",
    shell: bash("run_shell_command", { description: "Look", is_background: false }),
    env: ({ scripted }) => ({
      OPENAI_BASE_URL: `${scripted}/v1`,
      OPENAI_API_KEY: "sk-none",
      OPENAI_MODEL: "scripted",
    }),
    args: (prompt, session, isFirst) => [
      prompt,
      "--auth-type",
      "openai",
      "--yolo",
      isFirst ? "--session-id" : "--resume",
      session,
    ],
  },
];
