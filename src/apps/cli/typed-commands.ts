/**
 * How commands in our own sentences are typed here: somebody who came by `npx` has no `whetstone` on PATH.
 * Events and other JSON are data and stay as they are.
 */
export function typedCommands(
  env: Readonly<Record<string, string | undefined>>,
  commands: readonly string[],
): (text: string) => string {
  if (env["npm_command"] !== "exec") return (text) => text;
  const ours = new RegExp(`(?<![\\w./-]|npx )whetstone (?=(?:${commands.join("|")})\\b)`, "g");
  return (text) => (/^[{[]/.test(text) ? text : text.replaceAll(ours, "npx whetstone "));
}
