import { relative } from "node:path";

/**
 * How to type the commands in our messages: people who use `npx` or run a clone's build don't have `whetstone` on PATH.
 * `script` is the file that Node was started with.
 */
export function typedCommands(
  env: Readonly<Record<string, string | undefined>>,
  commands: readonly string[],
  { script = "", cwd = "" }: { readonly script?: string | undefined; readonly cwd?: string } = {},
): (text: string) => string {
  const way = env["npm_command"] === "exec" ? "npx whetstone" : clonedWay(script, cwd);
  if (way === undefined) return (text) => text;
  const ours = new RegExp(`(?<![\\w./-]|npx )whetstone (?=(?:${commands.join("|")})\\b)`, "g");
  return (text) => text.replaceAll(ours, () => `${way} `);
}

/** Undefined unless it is the build of a clone: an installed package has a `whetstone`. */
function clonedWay(script: string, cwd: string): string | undefined {
  const isClone = /[/\\]dist[/\\]cli\.js$/.test(script) && !/[/\\]node_modules[/\\]/.test(script);
  return isClone ? `node ${relative(cwd, script)}` : undefined;
}
