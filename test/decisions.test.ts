import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { adoptCommand, reviewCommand, undoCommand } from "../src/apps/cli/commands/offer-commands.ts";
import { startServer } from "../src/apps/server/start-server.ts";
import { sqliteJournal } from "../src/adapters/journals/sqlite/sqlite.ts";
import { sharedFolder } from "../src/config/state-folder.ts";
import { composeRules } from "../src/core/offer/compose-rules.ts";
import { findRules } from "../src/core/rules/prune/find-rules.ts";
import { prunedRules } from "../src/core/rules/prune/pruned-rules.ts";
import type { Decision, Rule } from "../src/core/rules/rule.ts";
import { mainText, type Skill, singleFileSkill } from "../src/core/skill/skill.ts";
import { adopt, diff, review, undo } from "../src/index.ts";
import { makeReview } from "../src/core/offer/make-review.ts";
import type { OfferReport } from "../src/report/model.ts";
import { rejectProposal } from "../src/run/offer/choose.ts";
import { openReview } from "../src/run/offer/offers.ts";
import { lookedAt } from "./support/looked.ts";
import { type FinishedRun, proposalArtifacts } from "../src/run/offer/proposal.ts";
import { writeLiveTarget } from "../src/run/offer/live-target.ts";
import { capturedIo } from "./support/captured-io.ts";
import { foundRules, originalDesk } from "./support/measured-rules.ts";
import { openServer } from "./support/mcp-server.ts";
import { taskEvidence } from "./support/task-evidence.ts";
import { tempDir } from "./support/temp-dir.ts";

const long =
  "# Desk\n\n- Answer in English.\n- Name the parcel.\n- Be kind to everybody.\n- Sign with the desk's name.\n";

/** What each verb offers: the text before, and three rules of which none needs another. */
const offers = {
  training: () => ({
    original: originalDesk,
    rules: foundRules.offered.filter(({ id }) => ["1", "3", "9"].includes(id)),
  }),
  pruning: () => {
    const original = singleFileSkill(long);
    const found = findRules(original);
    const table = found.slice(1).map(({ id, text, tokens }) => ({
      rule: id,
      text,
      tokens,
      fate: "removed" as const,
      why: "not missed",
      worth: 0,
      low: -0.01,
      high: 0.01,
      helps: 0.1,
      needed: 0.05,
      rollouts: 40,
      tokensPerPoint: null,
    }));
    return { original, rules: prunedRules(found, table) };
  },
  night: () => {
    const original = singleFileSkill("# Desk\n");
    const skill = { id: "skill:desk", kind: "skill", scope: "project", name: "desk" } as const;
    const words = ["Use tabs.", "Say please.", "Name the file."];
    const { rules } = makeReview({
      id: "n",
      night: "0001",
      stagedAt: 1,
      document: { ...skill, path: "", skill: original },
      gate: "on",
      rejected: [],
      rules: words.map((text, at) => ({
        rule: {
          id: `${at}aaaa1111bbbb`,
          document: skill.id,
          edit: { op: "add", text },
          origin: "learned",
          provenance: { conversations: [], tasks: [] },
          evidence: taskEvidence(8, 1, 0),
          status: "proven",
          reason: "",
        },
        conversations: [],
        powers: [],
      })),
    });
    return { original, rules };
  },
} satisfies Readonly<Record<string, () => { readonly original: Skill; readonly rules: readonly Rule[] }>>;
type Verb = keyof typeof offers;

/** A project with one proposal of that verb, as it is on a disk; or one more for the same project. */
async function openProject(verb: Verb, at = 1, into?: string) {
  const { original, rules } = offers[verb]();
  const dir = into ?? (await tempDir({ "SKILL.md": mainText(original) }));
  const journalDir = sharedFolder(dir);
  const id = `${verb}-${at}`;
  const folder = join(journalDir, verb === "night" ? "proposals" : "runs", id);
  const run: FinishedRun = { run: id, folder, journalDir };
  const best = composeRules(original, rules, rules).skill;
  const sealed = { verdict: "better", sentence: "Better." } as const;
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  put("skills/skill_v0000.md", mainText(original));
  put("best_skill.md", mainText(best));
  const offered = verb === "night" ? {} : { rules, baseline: 0.5 };
  const offer = proposalArtifacts({ run: id, original, best, sealed, ...offered, looked: lookedAt(best) });
  put("proposal.json", offer["proposal.json"]);
  const head = { v: 1, id, gate: "on", rejected: [], state: "staged", rules } as const;
  const document = { id: "skill:desk", kind: "skill", scope: "project", name: "desk" };
  if (verb === "night")
    put("review.json", JSON.stringify({ ...head, night: "0001", stagedAt: at, document }));
  await writeLiveTarget(id, { kind: "file", path: join(dir, "SKILL.md") }, journalDir);
  const journal = await sqliteJournal({ dir: journalDir });
  if (verb !== "night") await journal.write(startOf(id, folder, verb));
  await journal.close();
  const live = () => readFileSync(join(dir, "SKILL.md"), "utf8");
  const unsay = () => rmSync(join(journalDir, "decisions"), { recursive: true, force: true });
  return { dir, journalDir, run, id, original, rules, live, unsay };
}

const startOf = (run: string, folder: string, verb: Verb) => ({
  run,
  key: "",
  kind: "event" as const,
  name: "run-start",
  body: {
    v: 1,
    at: 1,
    run,
    type: "run-start",
    command: verb === "training" ? "train" : "prune",
    skill: "s",
    models: {},
    tasks: { train: 1, val: 1, test: 1 },
    steps: 1,
    resumed: 0,
    finished: false,
    spent: { nanoUsd: 0, tokens: 0, calls: 0 },
    folder,
    settings: { metric: "hard", mixedWeight: 0.5 },
  },
});

type Project = Awaited<ReturnType<typeof openProject>>;
interface Surface {
  readonly decide: (rule: string, decision: Decision) => Promise<unknown>;
  /** With words for what no model has looked at, where the surface takes any. */
  readonly adopt: (acknowledge?: readonly string[]) => Promise<unknown>;
  readonly undo: () => Promise<unknown>;
}

const choicesOf = (rule: string, decision: Decision) => ({
  ...(decision.deed === "accept" ? { accept: [rule] } : {}),
  ...(decision.deed === "drop" ? { drop: [rule] } : {}),
  ...(decision.deed === "edit" ? { edit: { [rule]: decision.text } } : {}),
  ...(decision.deed === "same" ? { same: { [rule]: decision.as } } : {}),
  ...(decision.deed === "reject" ? { reject: { [rule]: decision.reason } } : {}),
});

const surfaces: Readonly<
  Record<"library" | "command line" | "MCP" | "web app", (project: Project) => Promise<Surface>>
> = {
  library: async ({ dir: cwd, id: run }) => ({
    decide: (rule, decision) => review({ cwd, run, ...choicesOf(rule, decision) }),
    adopt: (acknowledge) => adopt({ cwd, run, acknowledge }),
    undo: () => undo({ cwd, run }),
  }),
  "command line": async ({ dir, journalDir, id }) => {
    const { io } = capturedIo(dir);
    const flags = { journal: journalDir, run: id, json: true };
    const typed = (rule: string, decision: Decision) => {
      const { edit, same, reject, ...plain } = choicesOf(rule, decision);
      if (edit !== undefined) writeFileSync(join(dir, "words.md"), Object.values(edit).join());
      const pairs = (given: object) =>
        Object.entries(given).map(([name, value]) => `${name}=${String(value)}`);
      return {
        ...plain,
        ...(edit === undefined ? {} : { edit: [`${rule}=words.md`] }),
        ...(same === undefined ? {} : { same: pairs(same) }),
        ...(reject === undefined ? {} : { reject: pairs(reject) }),
      };
    };
    return {
      decide: (rule, decision) => reviewCommand({ ...flags, ...typed(rule, decision) }, io),
      adopt: (acknowledge) => adoptCommand({ ...flags, acknowledge: [...(acknowledge ?? [])] }, io),
      undo: () => undoCommand(flags, io),
    };
  },
  MCP: async ({ dir, id: run }) => {
    const { call } = await openServer(dir, () => true);
    const send = async (name: string, given: object) => {
      const { data, text } = await call(name, { run, ...given });
      if (data === undefined) throw new Error(text);
    };
    return {
      decide: (rule, decision) => {
        const words = "text" in decision ? decision.text : "as" in decision ? decision.as : undefined;
        const said = decision.deed === "reject" ? decision.reason : words;
        return send("decide", {
          rule,
          decision: decision.deed,
          ...(said === undefined ? {} : { words: said }),
        });
      },
      adopt: () => send("adopt", {}),
      undo: () => undo({ cwd: dir, run }),
    };
  },
  "web app": async ({ journalDir, id }) => {
    const server = await startServer({ journalDir, page: "<!doctype html><body></body>" });
    onTestFinished(() => server.close());
    const send = async (path: string, body?: object) => {
      const response = await fetch(`http://127.0.0.1:${server.port}/api/proposals/${id}${path}`, {
        headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      });
      const data = (await response.json()) as OfferReport;
      if (!response.ok) throw new Error(JSON.stringify(data));
      return data;
    };
    return {
      decide: (rule, decision) => send("/decide", { decisions: { [rule]: decision } }),
      adopt: async (acknowledge) => {
        const { change } = await send("");
        if (change?.kind !== "ready") throw new Error(JSON.stringify(change));
        return send("/adopt", { shown: change.shown, unproven: change.unproven, acknowledge });
      },
      undo: () => send("/undo", {}),
    };
  },
};

const cases = (Object.keys(offers) as Verb[]).flatMap((verb) =>
  (Object.keys(surfaces) as (keyof typeof surfaces)[]).map((surface) => [verb, surface] as const),
);

test.each(cases)("the words of a person have the same effect: %s, by %s", async (verb, surface) => {
  const project = await openProject(verb);
  const { original, rules, run, live, unsay } = project;
  const { decide, adopt: adoptAll, undo: undoAll } = await surfaces[surface](project);
  const [first, second, third] = rules as readonly [Rule, Rule, Rule];
  const written = (some: readonly Rule[]) => mainText(composeRules(original, some, rules).skill);
  const ownWords = "- My own words.";
  const edited: Rule = {
    ...third,
    edit:
      third.edit.kind === "edit"
        ? { ...third.edit, edit: { ...third.edit.edit, content: ownWords } }
        : ({ ...third.edit, text: ownWords } as Rule["edit"]),
  };
  const effects: readonly (readonly [Decision, Rule, readonly Rule[]])[] = [
    [{ deed: "accept" }, second, [second]],
    [{ deed: "drop" }, second, [first, third]],
    [{ deed: "reject", reason: "Wrong." }, second, [first, third]],
    [{ deed: "edit", text: ownWords }, third, [first, second, edited]],
    [{ deed: "same", as: first.id }, second, [first, third]],
  ];
  for (const [decision, rule, taken] of effects) {
    if (verb === "pruning" && decision.deed === "edit") {
      await expect(decide(rule.id, decision)).rejects.toThrow("has no words to edit");
      continue;
    }
    await decide(rule.id, decision);
    expect([decision.deed, live()]).toEqual([decision.deed, mainText(original)]);
    expect(openReview(run).rules.find(({ id }) => id === rule.id)?.decision).toEqual(decision);
    if (decision.deed !== "edit") await adoptAll();
    else {
      // no model has looked at a person's own words
      await expect(adoptAll()).rejects.toThrow(/not.looked.at/);
      const seen = ["not-looked-at"];
      await (surface === "MCP"
        ? adopt({ cwd: project.dir, run: project.id, acknowledge: seen })
        : adoptAll(seen));
    }
    expect([decision.deed, live()]).toEqual([decision.deed, written(taken)]);
    const now = openReview(run);
    expect(now.state).toBe("adopted");
    expect(now.rules.filter(({ receipt }) => receipt !== undefined).map(({ id }) => id)).toEqual(
      taken.map(({ id }) => id),
    );
    await undoAll();
    expect(live()).toBe(mainText(original));
    // what is rejected or dropped stays so
    if (decision.deed !== "accept" && decision.deed !== "edit")
      expect(openReview(run).rules.find(({ id }) => id === rule.id)?.decision).toEqual(decision);
    unsay();
  }
  for (const decision of [{ deed: "drop" }, { deed: "reject", reason: "No." }] as const)
    await expect(decide("none99", decision)).rejects.toThrow("none99");
  expect(live()).toBe(mainText(original));
});

test.each(Object.keys(offers) as Verb[])(
  "a rule that was rejected is left out of the next %s too",
  async (verb) => {
    const { dir, id, rules, original } = await openProject(verb);
    const [first, second, third] = rules as readonly [Rule, Rule, Rule];
    await review({ cwd: dir, run: id, reject: { [second.id]: "Wrong." } });
    const next = await openProject(verb, 2, dir);
    const offered = openReview(next.run).rules.find((rule) => rule.id === second.id);
    expect(offered?.decision).toEqual({ deed: "reject", reason: "Wrong." });
    await adopt({ cwd: dir, run: next.id });
    expect(next.live()).toBe(mainText(composeRules(original, [first, third], rules).skill));
    await undo({ cwd: dir, run: next.id });
    await adopt({ cwd: dir, run: next.id, accept: rules.map((rule) => rule.id) });
    expect(next.live()).toBe(mainText(composeRules(original, rules, rules).skill));
  },
);

test.each(Object.keys(offers) as Verb[])(
  "a %s that was rejected as a whole rejects each of its rules",
  async (verb) => {
    const { dir, run } = await openProject(verb);
    await rejectProposal(run, "Not ours.");
    const next = await openProject(verb, 2, dir);
    const decided = openReview(next.run).rules.map(({ decision }) => decision);
    expect(decided).toEqual(next.rules.map(() => ({ deed: "reject", reason: "Not ours." })));
  },
);

test.each(Object.keys(offers) as Verb[])(
  "what is turned down of a %s isn't shown as if it were offered",
  async (verb) => {
    const { dir, id, run, rules } = await openProject(verb);
    const names = rules.map((rule) => rule.id);
    const nothing = { diff: "", proposal: { proven: false, files: [] } };
    expect(await diff({ cwd: dir, run: id, drop: names })).toMatchObject(nothing);
    await review({ cwd: dir, run: id, drop: names });
    expect(await diff({ cwd: dir, run: id })).toMatchObject(nothing);
    await rejectProposal(run, "Not ours.");
    const rejected = await diff({ cwd: dir, run: id });
    expect(rejected).toMatchObject(nothing);
    expect(rejected.lines.join("\n")).toContain(
      "You rejected this proposal, so it can't be adopted: Not ours.",
    );
    const next = await openProject(verb, 2, dir);
    const { lines } = await diff({ cwd: dir, run: next.id });
    expect(lines.join("\n")).toContain(`because you rejected the same words: ${rules.length} rules`);
  },
);

test.each(Object.keys(offers) as Verb[])(
  "two rules of a %s can't each be the other, and what adopting refuses is not kept",
  async (verb) => {
    const { dir, id, run, rules, live } = await openProject(verb);
    const [first, second] = rules as readonly [Rule, Rule];
    const same = { [first.id]: second.id, [second.id]: first.id };
    await expect(diff({ cwd: dir, run: id, same })).rejects.toThrow("which is left out");
    const before = live();
    writeFileSync(join(dir, "SKILL.md"), `${before}\nChanged by hand.\n`);
    await expect(adopt({ cwd: dir, run: id, drop: [first.id] })).rejects.toThrow();
    expect(openReview(run).rules.every(({ decision }) => decision === undefined)).toBe(true);
  },
);
