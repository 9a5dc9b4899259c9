import { mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { allowNights } from "../../../test/support/night-files.ts";
import { projectState } from "../../../test/support/project-state.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { GroupReply } from "../../core/prompts/group-wishes.ts";
import { listProposals } from "../../run/offer/offers.ts";
import { type ChatWorld, startScriptedServer } from "../../testing/index.ts";
import { noNights, stateFile } from "../state.ts";
import { performNight } from "./perform-night.ts";

const fixtures = join(import.meta.dirname, "../../../test/fixtures");

interface Recorded {
  readonly contract: string;
  readonly first?: string;
  readonly sentences?: readonly string[];
  readonly reply: string;
}

const recorded = readFileSync(join(fixtures, "real-run/night/replies.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);
const only = (contract: string) => recorded.find((one) => one.contract === contract);
const grouped = JSON.parse(only("group_wishes")?.reply ?? "") as GroupReply;

/** The recorded conversations, in the histories of their agents. */
function writeTalks(home: string, project: string): void {
  const folder = join(fixtures, "two-weeks");
  for (const [at, name] of readdirSync(folder).toSorted().entries()) {
    const text = readFileSync(join(folder, name), "utf8").replaceAll("/home/dev/code/ledgerly", project);
    const path = text.includes('"session_meta"')
      ? join(home, ".codex/sessions/2026/11/15", `rollout-2026-11-15T00-00-00-${name.slice(3)}`)
      : join(home, ".claude/projects/x", name.slice(3));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    utimesSync(path, 1_790_000_000 + at * 3600, 1_790_000_000 + at * 3600);
  }
}

/** Says what the model said then; sentences are known by their words, as their numbers may be others now. */
const replies = (groups: GroupReply["groups"]): ChatWorld => ({
  reply({ system, messages }) {
    const prompt = messages.map(({ content }) => content).join("\n\n");
    const contract = /^Contract: (\S+)$/m.exec(system)?.[1];
    if (contract === "mine") {
      const first = /\[turn 1, the person\]\n([\s\S]*?)\n\n\[turn 1, the agent\]/.exec(prompt)?.[1] ?? "";
      const found = recorded.find((one) => one.first?.slice(0, 40) === first.slice(0, 40));
      return { text: found?.reply ?? '{ "tasks": [] }' };
    }
    if (contract === "group_wishes") {
      const numbers = new Map(
        [...prompt.matchAll(/^sentence (\d+): (".*?") \(/gm)].map(
          ([, number, text = '""']) => [JSON.parse(text) as string, Number(number)] as const,
        ),
      );
      const said = only("group_wishes")?.sentences ?? [];
      const known = groups.map(({ sentences, wish }) => ({
        sentences: sentences.flatMap((at) => numbers.get(said[at - 1] ?? "") ?? []),
        wish,
      }));
      return { text: JSON.stringify({ groups: known.filter(({ sentences }) => sentences.length > 0) }) };
    }
    if (contract === "word_wishes") return { text: only("word_wishes")?.reply ?? "" };
    return {
      text: contract === undefined ? "ok" : '{ "reasoning": "", "failure_summary": [], "edits": [] }',
    };
  },
});

async function liveNight(groups: GroupReply["groups"]) {
  const home = await tempDir();
  const project = join(home, "code/ledgerly");
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "CLAUDE.md"), "# Ledgerly\n\nA small billing service in TypeScript.\n");
  writeTalks(home, project);
  const journalDir = projectState(project);
  allowNights(journalDir, { project, sources: ["claude-code", "codex"] });
  const server = await startScriptedServer({ seed: 1, world: replies(groups) });
  onTestFinished(() => server.close());
  await performNight({
    config: {
      target: "scripted/a",
      optimizer: "scripted/b",
      providers: { scripted: { baseURL: `${server.url}/v1` } },
      prices: Object.fromEntries(["a", "b"].map((name) => [`scripted/${name}`, { input: 0.1, output: 0.1 }])),
      sleep: { gate: "off", lookback: "all" },
      seed: 1,
    },
    cwd: project,
    home,
    env: {},
  });
  const { wishes } = stateFile(journalDir).read() ?? noNights;
  const offered = listProposals(journalDir).map(({ document, rules }) => ({
    document: document.id,
    rules: rules.map(({ text }) => text),
  }));
  return { wishes, offered };
}

const five = [/pnpm/, /ISO format/, /make lint/, /German/, /whole cents/];

test("the replies of a real model's night give five wishes, each once, for the files of both agents", async () => {
  const { offered, wishes } = await liveNight(grouped.groups);
  expect(offered.map(({ document }) => document)).toEqual(["memory:CLAUDE.md", "memory:AGENTS.md"]);
  for (const { rules } of offered) {
    expect(rules).toHaveLength(5);
    for (const wanted of five) expect(rules.filter((rule) => wanted.test(rule))).toHaveLength(1);
  }
  // the model left a sentence with two wishes alone: it was said once, and waits
  expect(wishes.filter(({ said }) => said.length === 1).map(({ wordings }) => wordings)).toEqual([[]]);
});

test("a sentence that asks for two of them counts for both and makes no sixth", async () => {
  const [double] = grouped.groups.at(-1)?.sentences ?? [];
  const both = grouped.groups.slice(0, -1).map((group) =>
    // dates, and cents
    [2, 5].some((at) => group.sentences.includes(at))
      ? { ...group, sentences: [...group.sentences, double ?? 0] }
      : group,
  );
  const { wishes, offered } = await liveNight(both);
  expect(wishes).toHaveLength(5);
  const withBoth = wishes.filter(({ said }) => said.some(({ text }) => text.startsWith("paidAt must be")));
  expect(withBoth.map(({ wordings }) => five.findIndex((one) => one.test(wordings[0]?.text ?? "")))).toEqual([
    1, 4,
  ]);
  expect(offered.map(({ rules }) => rules.length)).toEqual([5, 5]);
});
