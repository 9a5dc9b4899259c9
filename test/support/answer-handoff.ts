import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChatWorld, ScriptedMessage } from "../../src/testing/index.ts";

/** Answers every question of a handoff folder as the models of a world would, and tells how many there were. */
export function answerHandoff(folder: string, world: ChatWorld): number {
  const pending = join(folder, "pending");
  const files = existsSync(pending) ? readdirSync(pending).filter((name) => name.endsWith(".md")) : [];
  for (const file of files) {
    const key = file.slice(0, -".md".length);
    const text = readFileSync(join(pending, file), "utf8");
    const { text: reply } = world.reply({
      ...readQuestion(text, key),
      key,
      protocol: "openai-chat",
      tools: [],
    });
    writeFileSync(join(folder, "answers", file), `${reply}\n`);
  }
  return files.length;
}

export function readQuestion(text: string, key: string) {
  const model = /^A question for (\S+)\./m.exec(text)?.[1] ?? "";
  const maxTokens = Number(/^It may have (\d+) tokens\./m.exec(text)?.[1]);
  const parts = text
    .split(new RegExp(`^===== ${key.slice(0, 8)} (system|user|assistant|end) =====\n`, "m"))
    .slice(1);
  let system = "";
  const messages: ScriptedMessage[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [role, content] = [parts[at], (parts[at + 1] ?? "").replace(/\n\n$/, "")];
    if (role === "system") system = content;
    else if (role === "user" || role === "assistant") messages.push({ role, content });
  }
  return { model, system, messages, maxTokens };
}

/** The same through the one file of a round: reads `questions.md`, writes `answers.md`. Undefined where there is none. */
export function answerSheet(folder: string, world: ChatWorld): readonly string[] | undefined {
  const path = join(folder, "questions.md");
  if (!existsSync(path)) return undefined;
  const [list = "", ...parts] = readFileSync(path, "utf8").split(
    /^===== (instructions for the \w+|\d+\. [0-9a-f]{8} \w+|end)\b.* =====\n/m,
  );
  const asked = [...list.matchAll(/^\d+\. ([0-9a-f]{8}) (\w+)$/gm)];
  const replies: string[] = [];
  let system = "";
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [title = "", text = ""] = [parts[at], parts[at + 1]?.replace(/\n\n$/, "")];
    const key = /^\d+\. (\w+)/.exec(title)?.[1];
    if (title.startsWith("instructions")) system = text;
    if (key === undefined) continue;
    const { text: reply } = world.reply({
      model: "handoff/me",
      system,
      messages: [{ role: "user", content: text }],
      maxTokens: 1000,
      key,
      protocol: "openai-chat",
      tools: [],
    });
    replies.push(`===== ${key} =====\n${reply}\n`);
  }
  writeFileSync(join(folder, "answers.md"), replies.join("\n"));
  return asked.map(([, , role = ""]) => role);
}
