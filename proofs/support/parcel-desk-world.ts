import { hash } from "node:crypto";
import type { JsonObject } from "../../src/ports.ts";
import {
  type ChatWorld,
  type ScriptedReply,
  type ScriptedRequest,
  type ScriptedToolCall,
  seededRandom,
} from "../../src/testing/index.ts";
import { usualReply } from "./usual-replies.ts";
import { deskName, lostShelf, shelves, shelvesFile, window } from "./parcel-desk.ts";

export interface DeskWorldOptions {
  readonly seed: number;
  /** How often the target loses its thread and uses the lost shelf. @default 0.02 */
  readonly lapses?: number;
  /** A command that the target runs before it labels anything. @default none */
  readonly look?: string;
}

/**
 * The models of the parcel desk. The target works through the tools of the agent that asks: it loads the skill when it is
 * offered, reads the shelves, runs the script of the skill, and knows nothing else. The optimizer writes shelves into the
 * reference file and the window into SKILL.md; other edits of it are idle, wrong, or touch what it may not. The judge
 * looks for the window.
 */
export function deskWorld({ seed, lapses = 0.02, look }: DeskWorldOptions): ChatWorld {
  return {
    reply(request) {
      const merged = usualReply(request);
      if (merged !== undefined) return merged;
      const contract = /^Contract: *(\S+)/m.exec(request.system)?.[1];
      if (contract === undefined) return serve(request, { seed, lapses, look });
      const prompt = request.messages.map(({ content }) => content).join("\n\n");
      // by what is asked and not by its key, which changes with the version of the agent
      return { text: JSON.stringify(answer(contract, prompt, seededRandom(seed, hash("sha256", prompt)))) };
    },
  };
}

interface Habits {
  readonly seed: number;
  readonly lapses: number;
  readonly look: string | undefined;
}

function serve(request: ScriptedRequest, { seed, lapses, look }: Habits): ScriptedReply {
  const said = [request.system, ...request.messages.map(({ content }) => content)].join("\n");
  const [, number, kind = ""] = /Parcel (\d+) holds ([a-z ]+) and goes to/.exec(said) ?? [];
  if (number === undefined || request.tools.length === 0) return { text: "ok" };
  const { load, read, run } = handsOf(request, said);
  // one draw for the whole rollout: the key of its n-th call ends with :n, or -n
  const isLapse = seededRandom(seed, request.key.replace(/[:-]\d+$/, ""), "lapse")() < lapses;
  const shelf = isLapse ? lostShelf : readShelf(said, kind);
  const isOffered = said.includes(deskName);
  const steps: readonly ScriptedToolCall[] = [
    ...(look === undefined ? [] : [run(() => look)]),
    ...(isOffered
      ? [load, read(shelvesFile), run((base) => `${base}/scripts/label.sh ${number} ${shelf} > label.txt`)]
      : [run(() => `printf 'Parcel ${number}\\nShelf ${lostShelf}\\n' > label.txt`)]),
  ];
  const step = steps[request.messages.filter(({ role }) => role === "tool").length];
  if (step !== undefined) return { text: "", toolCalls: [step] };
  const farewell = said.includes(window) ? ` Fetch it at ${window}, please.` : "";
  return { text: `Parcel ${number} is labelled.${farewell}` };
}

/** How an agent's own tools are called; paths begin at the folder where it has the skill. */
interface Hands {
  readonly load: ScriptedToolCall;
  readonly read: (file: string) => ScriptedToolCall;
  readonly run: (command: (base: string) => string) => ScriptedToolCall;
}

/** Told by the tools that are offered: those of Claude Code, of pi, or of the loop of the AI SDK. */
function handsOf({ tools }: ScriptedRequest, said: string): Hands {
  const has = (name: string) => tools.some((tool) => tool.name === name);
  if (has("load_skill") || has("list_files")) {
    const base = `.agents/skills/${deskName}`;
    return {
      load: call("load_skill", { name: deskName }),
      read: (file) => call("read_file", { path: `~/${base}/${file}` }),
      run: (command) => call("run", { command: command(`~/${base}`) }),
    };
  }
  if (has("bash")) {
    const base = `/home/dev/.pi/agent/skills/${deskName}`;
    return {
      load: call("read", { path: `${base}/SKILL.md` }),
      read: (file) => call("read", { path: `${base}/${file}` }),
      run: (command) => call("bash", { command: command(base) }),
    };
  }
  const base =
    /Base directory for this skill: (\S+)/.exec(said)?.[1] ?? `/home/dev/.claude/skills/${deskName}`;
  return {
    load: call("Skill", { skill: deskName }),
    read: (file) => call("Read", { file_path: `${base}/${file}` }),
    run: (command) => call("Bash", { command: command(base), description: "Do it" }),
  };
}

/** The last line about a kind counts, as the skill says. */
const readShelf = (said: string, kind: string): string =>
  [...said.matchAll(new RegExp(`- ${kind}: ([A-Z]{2}-\\d{2})`, "g"))].at(-1)?.[1] ?? lostShelf;

const call = (name: string, input: ScriptedToolCall["arguments"]): ScriptedToolCall => ({
  name,
  arguments: input,
});

function answer(contract: string, prompt: string, random: () => number): JsonObject {
  switch (contract) {
    case "judge":
      return { reason: "The window decides.", score: meets(partOf(prompt, "answer"), prompt) ? 1 : 0 };
    case "judge_pair":
      return { reason: "The window decides.", better: prefer(prompt) };
    case "analyst_error":
      return { reasoning: "Shelves and the window are missing.", edits: propose(prompt, random) };
    case "one_shot":
      return { new_skill: `${readSkillText(prompt)}\n${farewellRule}\n` };
    case "slow_update":
      return { reasoning: "Nothing lasting.", guidance: "" };
    case "meta_skill":
      return { reasoning: "Nothing yet.", memory: "" };
    default:
      return { reasoning: "Nothing to add.", edits: [] };
  }
}

/** The customer of this parcel is sent to the window. */
const meets = (text: string, prompt: string): boolean => {
  const number = /Parcel (\d+) holds/.exec(partOf(prompt, "task"))?.[1];
  // of no parcel: one of the plainly good answers that every judge is tried on
  if (number === undefined) return true;
  return text.includes(number) && text.includes(window);
};

function prefer(prompt: string): "first" | "second" | "tie" {
  const [first, second] = [partOf(prompt, "first answer"), partOf(prompt, "second answer")];
  const isFirst = meets(first, prompt);
  if (isFirst === meets(second, prompt)) return "tie";
  return isFirst ? "first" : "second";
}

/** What stands between the lines that carry the code of the request. */
const partOf = (prompt: string, word: string): string =>
  new RegExp(`^BEGIN ${word} ([0-9a-f]{16})\n([\\s\\S]*?)\nEND ${word} \\1$`, "m").exec(prompt)?.[2] ?? "";

const farewellRule = `Send everybody to ${window} in your last sentence.`;

/** One edit for each kind of parcel that went wrong, by the call's own draws; the window first, when it was missed. */
function propose(prompt: string, random: () => number): readonly JsonObject[] {
  const [, ...blocks] = prompt.split(/^Task id: */m);
  const wrong = new Map<string, string[]>();
  const unsent: string[] = [];
  for (const block of blocks) {
    const id = /^.*/.exec(block)?.[0].trim() ?? "";
    const kind = / holds ([a-z ]+) and goes to/.exec(block)?.[1] ?? "";
    if (block.includes("to leave a file label.txt")) wrong.set(kind, [...(wrong.get(kind) ?? []), id]);
    if (block.includes("which window hands it out")) unsent.push(id);
  }
  const farewell =
    unsent.length === 0 || prompt.includes(farewellRule)
      ? []
      : [{ op: "append", content: farewellRule, evidence: unsent }];
  const edits = [...wrong].map(([kind, evidence]) => ({ ...proposeShelf(kind, prompt, random()), evidence }));
  const evidence = [...wrong.values()].flat();
  return [{ ...forbidden(random()), evidence }, ...farewell, ...edits].slice(0, budgetOf(prompt));
}

function proposeShelf(kind: string, prompt: string, draw: number): JsonObject {
  const lines = [...prompt.matchAll(new RegExp(`^- ${kind}: [A-Z]{2}-\\d{2}$`, "gm"))].map(([line]) => line);
  const right = `- ${kind}: ${shelves[kind]}`;
  const old = lines.at(-1);
  if (draw < 0.8 && old !== right)
    return old === undefined
      ? { op: "append", file: shelvesFile, content: right }
      : { op: "replace", file: shelvesFile, target: old, content: right };
  if (draw < 0.9) return { op: "append", content: `Be careful with ${kind}.` };
  return { op: "append", file: shelvesFile, content: `- ${kind}: ${lostShelf}` };
}

/** What no edit may touch: the frontmatter, a script, an asset. */
function forbidden(draw: number): JsonObject {
  if (draw < 1 / 3) return { op: "replace", target: "license: MIT", content: "license: none" };
  if (draw < 2 / 3) return { op: "append", file: "scripts/label.sh", content: "echo done" };
  return { op: "append", file: "assets/seal.png", content: "seal" };
}

/** The text of the skill that a prompt shows. */
function readSkillText(prompt: string): string {
  const [, shown = prompt] = [...prompt.matchAll(/<skill>\n?([\s\S]*?)\n?<\/skill>/g)].at(-1) ?? [];
  return /^<file name="[^"]*">\n([\s\S]*?)\n<\/file>/.exec(shown)?.[1] ?? shown;
}

/** The most edits that a prompt allows; no line, no limit. */
const budgetOf = (prompt: string): number =>
  Number(/^Edit budget: *(\d+)/m.exec(prompt)?.[1] ?? Number.POSITIVE_INFINITY);
