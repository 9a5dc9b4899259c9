/**
 * How commands in our own sentences are typed here: somebody who came by `npx` has no `whetstone` on PATH.
 */
export function typedCommands(
  env: Readonly<Record<string, string | undefined>>,
  commands: readonly string[],
): (text: string) => string {
  if (env["npm_command"] !== "exec") return (text) => text;
  const ours = new RegExp(`(?<![\\w./-]|npx )whetstone (?=(?:${commands.join("|")})\\b)`, "g");
  return (text) => text.replaceAll(ours, "npx whetstone ");
}
