import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { memoryDocument } from "../../../test/support/night-input.ts";
import { contractOf, scriptedContext } from "../../../test/support/scripted-context.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { saidOn, wishOf } from "../../../test/support/wishes.ts";
import { sourceNames } from "../../core/ports/conversation.ts";
import { readOwnMemories } from "../memory/own-memories.ts";
import { openPlace } from "../place.ts";
import { findDocuments } from "../night/find-documents.ts";
import { openRedactor } from "../night/pin-night.ts";
import type { Wish } from "./wish.ts";
import { wordWishes } from "./word-wishes.ts";

type Says = "same" | "opposite";

interface Fixture {
  readonly agent: "claude-code" | "codex";
  /** From the person's home; `<project>` is the project's folder as Claude Code names it. */
  readonly file: string;
  readonly line: string;
  readonly wish: string;
  readonly says: Says;
}

const claude = (file: string, line: string, wish: string, says: Says): Fixture => ({
  agent: "claude-code",
  file: `.claude/projects/<project>/memory/${file}`,
  line,
  wish,
  says,
});
const codex = (file: string, line: string, wish: string, says: Says): Fixture => ({
  agent: "codex",
  file: `.codex/memories/${file}`,
  line,
  wish,
  says,
});

/** Memory as agents keep it, and what a person said: in other words, in another language, in another order. */
const fixtures: readonly Fixture[] = [
  claude("MEMORY.md", "User prefers pnpm over npm.", "nimm pnpm, nicht npm", "same"),
  claude("MEMORY.md", "User prefers npm over pnpm.", "pnpm, not npm please", "opposite"),
  claude("feedback_tabs.md", "Indent with tabs, not spaces.", "spaces, not tabs", "opposite"),
  claude("feedback_tabs.md", "Indent with tabs, not spaces.", "I want tabs for indentation", "same"),
  claude(
    "feedback_tests.md",
    "Run the whole suite before each commit.",
    "test everything, then commit",
    "same",
  ),
  claude(
    "feedback_tests.md",
    "Commit first, run tests afterwards.",
    "test everything, then commit",
    "opposite",
  ),
  claude("project_dates.md", "Dates are written day first.", "die Daten bitte mit dem Tag zuerst", "same"),
  claude("project_dates.md", "Dates are written month first.", "the day comes first in dates", "opposite"),
  claude("user_tone.md", "The user likes answers without emoji.", "sin emojis, por favor", "same"),
  claude("user_tone.md", "The user likes emoji in answers.", "no emoji any more", "opposite"),
  codex("memory_summary.md", "- Answer in German.", "antworte auf Deutsch", "same"),
  codex(
    "memory_summary.md",
    "- Answer in English, also to German questions.",
    "antworte auf Deutsch",
    "opposite",
  ),
  codex("MEMORY.md", "- Keep functions under forty lines.", "short functions, I said", "same"),
  codex("MEMORY.md", "- Prefer one long function to many short ones.", "short functions, I said", "opposite"),
  codex("MEMORY.md", "- Squash before merging.", "one commit per branch when it lands", "same"),
  codex("MEMORY.md", "- Never squash; keep every commit.", "one commit per branch when it lands", "opposite"),
  {
    agent: "claude-code",
    file: ".claude/CLAUDE.md",
    line: "Name tests after facts.",
    wish: "a test's name states a fact",
    says: "same",
  },
  {
    agent: "claude-code",
    file: ".claude/CLAUDE.md",
    line: "Number the tests.",
    wish: "a test's name states a fact",
    says: "opposite",
  },
  {
    agent: "codex",
    file: ".codex/AGENTS.md",
    line: "Explain before you edit.",
    wish: "first say what you will change",
    says: "same",
  },
  {
    agent: "codex",
    file: ".codex/AGENTS.md",
    line: "Edit at once, explain later.",
    wish: "first say what you will change",
    says: "opposite",
  },
];

/** A home with the fixture's file in it, and one of another project that says the same. */
async function openHome({ agent, file, line }: Fixture) {
  const home = await tempDir();
  const project = join(home, "work/shop");
  mkdirSync(join(project, ".git"), { recursive: true });
  const slug = (path: string) => path.replaceAll(/[^a-zA-Z0-9]/g, "-");
  const path = join(home, file.replace("<project>", slug(project)));
  mkdirSync(dirname(path), { recursive: true });
  const front = "---\nname: a note\ndescription: what the user likes\n---\n\n";
  const group = `# Task Group: shop / checkout\nscope: the shop\napplies_to: cwd=${project}; reuse_rule=safe\n\n## User preferences\n\n`;
  writeFileSync(path, `${file.endsWith("/MEMORY.md") && agent === "codex" ? group : front}${line}\n`);
  const place = openPlace({ config: {}, cwd: project, home, env: {} });
  return { home, project, place };
}

async function compare(fixture: Fixture): Promise<Wish | undefined> {
  const { home, project, place } = await openHome(fixture);
  const memories = await readOwnMemories([fixture.agent], place, await openRedactor(place));
  const { documents } = await findDocuments([], [fixture.agent], { project, home, skillRoots: [] });
  // it judges only what it is shown
  const context = await scriptedContext((request) => {
    const shown = request.messages.map(({ content }) => content).join("\n");
    const quote = fixture.line.replace(/^- /, "");
    const isShown = contractOf(request) === "word_wishes" && shown.includes(quote);
    const quotes = (says: Says) => (isShown && fixture.says === says ? [quote] : []);
    return JSON.stringify({
      wishes: [{ wish: 1, rule: "Do it so.", already: quotes("same"), opposite: quotes("opposite") }],
      rules: [{ rule: 1, carries: "yes", own: "yes" }],
    });
  });
  const own = documents.filter(({ scope }) => scope === "project").map(({ id }) => id);
  const said = [saidOn(1, fixture.wish, { isRule: true, lasts: "always", agent: fixture.agent })];
  const wish = wishOf("", { wordings: [], said, documents: own });
  const inUse = [fixture.agent];
  const spoken = new Set([wish.id]);
  const rules = { rules: [], untrusted: new Set<string>(), seed: 1, at: 7 };
  const [worded] = await wordWishes(
    { wishes: [wish], documents, memories, inUse, spoken, ...rules },
    context,
  );
  return worded;
}

test("what an agent's own memory and the person's files have already, or say the opposite of, in 20 of 20", async () => {
  const wrong: string[] = [];
  for (const fixture of fixtures) {
    const wish = await compare(fixture);
    const [line, ...more] = wish?.memory ?? [];
    const isRight = line?.says === fixture.says && more.length === 0;
    // what is there already is not proposed; against the opposite, it is
    const state = fixture.says === "same" ? "adopted" : "open";
    if (!isRight || wish?.state.kind !== state) wrong.push(`${fixture.file}: ${fixture.line}`);
  }
  expect(fixtures).toHaveLength(20);
  expect(wrong).toEqual([]);
});

test("a memory that only one of two agents reads settles nothing, and one that is gone settles no more", async () => {
  const context = await scriptedContext(() =>
    JSON.stringify({ wishes: [{ wish: 1, rule: "Use pnpm.", already: "Use pnpm." }], rules: [] }),
  );
  const memory = {
    name: "Claude Code's own memory (MEMORY.md)",
    readBy: ["claude-code"],
    text: "- Use pnpm.\n",
  };
  const said = [saidOn(1, "use pnpm", { isRule: true, lasts: "always" })];
  const wish = wishOf("", { wordings: [], said });
  const input = {
    wishes: [wish],
    documents: [memoryDocument("# Shop\n")],
    memories: [memory],
    spoken: new Set([wish.id]),
    rules: [],
    untrusted: new Set<string>(),
    seed: 1,
    at: 7,
  };
  const [alone] = await wordWishes({ ...input, inUse: ["claude-code"] }, context);
  expect(alone?.state).toMatchObject({
    kind: "adopted",
    quote: "Use pnpm.",
    reason: `${memory.name} says it already.`,
  });
  const [shared] = await wordWishes({ ...input, inUse: ["claude-code", "codex"] }, context);
  expect(shared).toMatchObject({ state: { kind: "open" }, memory: [{ says: "same", quote: "Use pnpm." }] });
  // once the agent forgets it, it is proposed
  const later = { ...input, wishes: [alone ?? wish], memories: [], inUse: ["claude-code"] };
  expect((await wordWishes(later, context))[0]?.state.kind).toBe("open");
});

test("what Codex keeps of other projects is not read, and no other file of its folder is", async () => {
  const { place, home } = await openHome(codex("MEMORY.md", "- Of the shop.", "", "same"));
  const write = (name: string, text: string) => writeFileSync(join(home, ".codex/memories", name), text);
  const group = (cwd: string, line: string) =>
    `# Task Group: ${line}\nscope: all\napplies_to: cwd=${cwd}; reuse_rule=safe\n\n- ${line}\n\n`;
  write(
    "MEMORY.md",
    group(place.project, "Of the shop.") + group("/srv/bank", "Of the bank.") + group("any", "Of all."),
  );
  write(
    "memory_summary.md",
    "v1\n\n## User preferences\n\n- Be short.\n\n## What's in Memory\n\n### /srv/bank\n",
  );
  write("raw_memories.md", "- Of the bank.\n");
  const memories = await readOwnMemories(sourceNames, place, await openRedactor(place));
  const texts = memories.map(({ text }) => text).join("\n");
  expect(memories.map(({ name }) => name)).toEqual([
    "Codex's own memory (MEMORY.md)",
    "Codex's own memory (memory_summary.md)",
  ]);
  expect(texts).toContain("Of the shop.");
  expect(texts).toContain("Of all.");
  expect(texts).toContain("Be short.");
  expect(texts).not.toContain("bank");
});
