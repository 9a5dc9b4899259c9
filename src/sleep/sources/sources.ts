import { isAbsolute, join } from "node:path";
import type { TranscriptSource } from "../../core/ports/transcripts.ts";
import { type SourceName, sourceNames } from "../../core/ports/conversation.ts";
import { atifSource } from "./readers/atif.ts";
import { claudeCodeSource } from "./readers/claude-code.ts";
import { codexSource } from "./readers/codex.ts";
import { copilotCliSource } from "./readers/copilot-cli.ts";
import { cursorSource } from "./readers/cursor.ts";
import { geminiCliSource } from "./readers/gemini-cli.ts";
import { openCodeSource } from "./readers/opencode.ts";
import { piSource } from "./readers/pi.ts";
import { qwenCodeSource } from "./readers/qwen-code.ts";
import { vscodeCopilotSource } from "./readers/vscode-copilot.ts";
import { vscodeHomes } from "./vscode-homes.ts";

export interface SourceOptions {
  /** The person's home folder. */
  readonly home: string;
  /** Agents can be told by variables to keep their files elsewhere. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Places that are not the usual ones, each as the agent's own variable would name it. */
  readonly places?: Readonly<Partial<Record<SourceName, string>>>;
}

/** The conversations of these agents, or of all that have a usual place, in one order. Nothing is looked at yet. */
export function openSources(
  options: SourceOptions,
  names: readonly SourceName[] = sourceNames,
): readonly TranscriptSource[] {
  return sourceNames.filter((name) => names.includes(name)).flatMap((name) => openers[name](options) ?? []);
}

type Opener = (options: SourceOptions) => TranscriptSource | undefined;

const openers: Readonly<Record<SourceName, Opener>> = {
  "claude-code": ({ home, env, places }) =>
    claudeCodeSource({
      home: placeOf(places?.["claude-code"], env["CLAUDE_CONFIG_DIR"], join(home, ".claude")),
    }),
  codex: ({ home, env, places }) =>
    codexSource({ home: placeOf(places?.codex, env["CODEX_HOME"], join(home, ".codex")) }),
  opencode: ({ home, env, places }) =>
    openCodeSource({
      home: placeOf(
        places?.opencode,
        join(placeOf(env["XDG_DATA_HOME"], join(home, ".local", "share")), "opencode"),
      ),
    }),
  pi: ({ home, env, places }) =>
    piSource({ home: placeOf(places?.pi, env["PI_CODING_AGENT_DIR"], join(home, ".pi", "agent")) }),
  cursor: ({ home, places }) => cursorSource({ home: placeOf(places?.cursor, join(home, ".cursor")) }),
  "vscode-copilot": ({ home, env, places }) => {
    const place = placeOf(places?.["vscode-copilot"]);
    return vscodeCopilotSource({ homes: place === "" ? vscodeHomes({ home, env }) : [place] });
  },
  "copilot-cli": ({ home, env, places }) =>
    copilotCliSource({
      home: placeOf(places?.["copilot-cli"], env["COPILOT_HOME"], join(home, ".copilot")),
    }),
  "gemini-cli": ({ home, env, places }) =>
    geminiCliSource({
      home: placeOf(places?.["gemini-cli"], join(placeOf(env["GEMINI_CLI_HOME"], home), ".gemini")),
    }),
  "qwen-code": ({ home, env, places }) =>
    qwenCodeSource({
      home: placeOf(places?.["qwen-code"], env["QWEN_RUNTIME_DIR"], env["QWEN_HOME"], join(home, ".qwen")),
    }),
  // trajectories have no usual place: they are where somebody put them
  atif: ({ places }) => {
    const folder = placeOf(places?.atif);
    return folder === "" ? undefined : atifSource({ folder });
  },
};

/** The first that says a whole path: a variable may be set to nothing. */
const placeOf = (...candidates: readonly (string | undefined)[]): string =>
  candidates.find((candidate) => candidate !== undefined && isAbsolute(candidate)) ?? "";
