import { dummyKey } from "./dummy-key.ts";
import type { ScriptedServer } from "../../src/testing/index.ts";

/** What the target runs in its box: its variables, those of the CLI above it, and a search for anything like a login. */
export const lookAround = [
  "echo LOOKED",
  "env",
  "tr '\\0' '\\n' < /proc/$PPID/environ",
  // it must find the decoy; the brackets keep it from finding itself
  "printf 'sk-ant-%s' oat01-decoy > /tmp/decoy",
  "echo FOUND $(grep -rlsE 'sk-ant-o[ar]t01' /home /root /tmp /run /etc /var /proc/[0-9]*/environ /proc/[0-9]*/cmdline)",
  "ls -a /home/dev/.claude /root",
].join("; ");

/** What it saw, by the rollouts in which it looked. */
export function readLooks({ calls }: ScriptedServer, secrets: readonly string[]) {
  const said = new Map<string, string>();
  for (const { key, request } of calls) {
    const look = request.messages.find(({ role, content }) => role === "tool" && content.includes("LOOKED"));
    if (look !== undefined) said.set(key.replace(/:\d+$/, ""), look.content);
  }
  const looks = [...said.values()];
  return {
    count: looks.length,
    dummies: looks.filter((look) => look.includes(dummyKey)).length,
    found: looks.filter((look) => !/^FOUND \/tmp\/decoy$/m.test(look)).length,
    leaks: looks.filter((look) => secrets.some((secret) => look.includes(secret))).length,
  };
}
