import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/ports.ts";

export interface RealRun {
  readonly score: number;
  readonly passed: boolean;
  readonly error: string | null;
  readonly tracePath: string;
  readonly graders: readonly { readonly name: string; readonly passed: boolean; readonly scored: boolean }[];
}

export interface RealResult extends JsonObject {
  readonly claudeVersion: string;
  readonly cases: readonly (JsonObject & {
    readonly name: string;
    readonly arms: { readonly with: readonly RealRun[]; readonly without?: readonly RealRun[] };
    readonly aggregates: { readonly score: number; readonly scoreWithout?: number };
  })[];
}

/** Runs `claude plugin eval` itself; undefined where it is not installed. Its runs stay below `home` to be read. */
export async function runReal(
  plugin: string,
  home: string,
  baseURL: string,
  more: readonly string[],
): Promise<{ readonly code: number | null; readonly result: RealResult } | undefined> {
  const out = join(home, `out-${baseURL.split(":").at(-1)}.json`);
  const args = [
    ..."plugin eval --no-publish --trust-plugin --keep-temp -j 2 --allow-tools Write --model claude-sonnet-4-5".split(
      " ",
    ),
    "--json",
    out,
    "--output-dir",
    join(home, "results"),
    ...more,
    "--",
    plugin,
  ];
  const child = spawn("claude", args, {
    cwd: home,
    stdio: "ignore",
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      TMPDIR: home,
      ANTHROPIC_API_KEY: "sk-ant-none",
      ANTHROPIC_BASE_URL: baseURL,
      CLAUDE_CODE_MAX_RETRIES: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1",
    },
  });
  const code = await new Promise<number | null | undefined>((resolve) => {
    child.once("error", () => resolve(undefined));
    child.once("close", resolve);
  });
  if (code === undefined) return undefined;
  return { code, result: JSON.parse(readFileSync(out, "utf8")) as RealResult };
}
