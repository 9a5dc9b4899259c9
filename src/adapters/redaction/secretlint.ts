import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { Span } from "./span.ts";

/** The findings of secretlint's recommended preset. Loaded late, because only sleep needs it. */
export async function loadSecretlint(): Promise<(softened: string) => Promise<readonly Span[]>> {
  const [{ lintSource }, { creator }] = await Promise.all([
    import("@secretlint/core"),
    import("@secretlint/secretlint-rule-preset-recommend"),
  ]);
  await stopProfiling();
  const config = { rules: [{ id: "preset", rule: creator }] };
  return async (softened) => {
    // a comment in a text must not switch the search off
    const content = softened.replaceAll("secretlint-", "secretlint_");
    const source = { filePath: "text", content, ext: ".txt", contentType: "text" as const };
    const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
    return messages.flatMap(({ ruleId, range, data }) => {
      if (ownRules.has(ruleId)) return [];
      const [start, end] = locate(content, range, data);
      const kind = ruleId.replace(/^.*secretlint-rule-/, "").replaceAll(/[^a-z\d]+/g, "-");
      return end > start ? [{ start, end, kind }] : [];
    });
  };
}

/** It records every rule on every text forever unless this is switched off, and the switch is in a separate package. */
async function stopProfiling(): Promise<void> {
  const core = createRequire(import.meta.url).resolve("@secretlint/core");
  const profiler = createRequire(core).resolve("@secretlint/profiler");
  const { secretLintProfiler } = (await import(pathToFileURL(profiler).href)) as {
    readonly secretLintProfiler?: { setEnabled?(enabled: boolean): void };
  };
  secretLintProfiler?.setEnabled?.(false);
}

/** Addresses with a password: we only take the password, and in every scheme. */
const ownRules: ReadonlySet<string> = new Set(
  ["basicauth", "database-connection-string"].map((name) => `@secretlint/secretlint-rule-${name}`),
);

/** Several rules report the name's position with the value's length, so we search for the value itself. */
function locate(
  content: string,
  [from, to]: readonly [number, number],
  data: unknown,
): readonly [number, number] {
  let [start, length] = [from, to - from];
  let best = 0;
  for (const value of Object.values(data ?? {})) {
    if (typeof value !== "string" || value.length <= best || value.length < 6) continue;
    const at = content.indexOf(value, from);
    if (at === -1 || at > to + 64) continue;
    [start, length, best] = [at, value.length, value.length];
  }
  const text = content.slice(start, start + length);
  if (text.includes("-----BEGIN")) return [start, start + length];
  // some include the rest of the line
  const stop = text.trimStart().search(/[\s"'`]/);
  const lead = length - text.trimStart().length;
  return [start + lead, start + lead + (stop === -1 ? length - lead : stop)];
}
