import { describe, expect, test } from "vitest";
import { contractOf, scriptedContext } from "../../../test/support/scripted-context.ts";
import type { Context } from "../../core/context.ts";
import { InfraError } from "../../core/errors.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { mainText } from "../../core/skill/skill.ts";
import { chatEnvironment } from "../../core/tasks/chat-environment.ts";
import { minedTask } from "../../../test/support/mined-tasks.ts";
import {
  memoryDocument,
  nightOf,
  nightSettings,
  proposeRules,
  skillDocument,
  tasksOf,
} from "../../../test/support/night-input.ts";
import { consolidateNight } from "./night.ts";
import { wishOf } from "../../../test/support/wishes.ts";
import type { Wish } from "../wishes/wish.ts";
import type { NightInput } from "./night-types.ts";

const question = (request: ModelRequest): string => request.messages[0]?.content ?? "";
const isOptimizer = (request: ModelRequest): boolean => contractOf(request) !== "";

/** A target that knows pnpm when it is told, and an optimizer that says so. */
const world =
  (...rules: readonly string[]) =>
  (request: ModelRequest): string => {
    if (isOptimizer(request)) return proposeRules(request, ...rules);
    return request.system?.includes("Use pnpm") === true ? "pnpm add zod" : "npm install zod";
  };

const withSettings = (more: Partial<NightInput["settings"]>, rest: Partial<NightInput> = {}): NightInput =>
  nightOf({ ...rest, settings: { ...nightSettings, ...more } });

/** What is bought is written down, as the real executor does. */
const recorded = (context: Context): Context => ({
  ...context,
  executor: {
    async execute(call) {
      const done = await context.executor.execute(call);
      const body = { output: done.output, cost: { ...done.cost } };
      await context.journal.write({ kind: "result", run: "test", key: call.key, name: "", body });
      return done;
    },
  },
});

describe("a night", () => {
  test("a rule that wins six tasks of other conversations is proven and proposed", async () => {
    const context = await scriptedContext(world("- Use pnpm."));
    const result = await consolidateNight(nightOf(), context);
    const [document] = result.documents;
    expect(document?.rules).toMatchObject([
      {
        status: "proven",
        edit: { op: "add", text: "Use pnpm." },
        provenance: { conversations: ["c-train-1", "c-train-2"], tasks: ["train-1", "train-2"] },
        proven: "n1",
        reason: "proven: 0 of 18 → 18 of 18 on 6 of your tasks (e = 18.8)",
      },
    ]);
    expect(document && mainText(document.proposed)).toBe(
      "# Shop\n\nBe kind.\n\n<!-- whetstone:learned:start -->\n- Use pnpm.\n<!-- whetstone:learned:end -->\n",
    );
    expect(result.flat).toBeUndefined();
  });

  test("evidence adds up over nights, and no task counts twice", async () => {
    const context = await scriptedContext(world("- Use pnpm."));
    const first = await consolidateNight(nightOf({ val: tasksOf("val", 2) }), context);
    expect(first.rules).toMatchObject([
      { status: "open", reason: "works on your tasks, not proven: 0 of 6 → 6 of 6 on 2 of your tasks" },
    ]);
    expect(first.flat).toBe(
      "1 rule is undecided: 0 of 6 → 6 of 6 on 2 of your tasks so far. Proof needs more tasks.",
    );
    expect(mainText(first.documents[0]?.proposed ?? skillDocument("?").skill)).toBe("# Shop\n\nBe kind.\n");
    expect(mainText(first.documents[0]?.promising ?? skillDocument("?").skill)).toContain("- Use pnpm.");

    const again = await consolidateNight(
      nightOf({ night: "n2", rules: first.rules, val: tasksOf("val", 2) }),
      context,
    );
    expect(again.rules).toEqual(first.rules);
    const third = await consolidateNight(
      nightOf({ night: "n3", rules: again.rules, val: tasksOf("later", 3) }),
      context,
    );
    expect(third.rules).toMatchObject([{ status: "proven", proven: "n3" }]);
    expect(third.rules[0]?.evidence.map(({ night }) => night)).toEqual(["n1", "n1", "n3", "n3", "n3"]);
  });

  test("the same night again costs nothing, and another night draws afresh", async () => {
    const context = await scriptedContext(world("- Use pnpm."));
    const recording = recorded(context);
    const once = await consolidateNight(nightOf(), recording);
    const calls = context.requests.length;
    expect(await consolidateNight(nightOf(), recording)).toEqual(once);
    expect(context.requests).toHaveLength(calls);
    await consolidateNight(nightOf({ night: "n2" }), recording);
    expect(context.requests).toHaveLength(2 * calls);
  });

  test("all undecided rules are measured in the same rollouts, as many as one alone takes", async () => {
    const many = Array.from({ length: 8 }, (_, at) => `- Rule ${at}.`).join("\n");
    const context = await scriptedContext(world(many));
    const settings = { ...nightSettings, editBudget: 8 };
    const result = await consolidateNight(nightOf({ settings }), context);
    expect(result.rules.map(({ evidence }) => evidence.length)).toEqual(Array(8).fill(6));
    const rolled = context.requests.filter((one) => question(one).includes("val-"));
    expect(rolled).toHaveLength(2 * 3 * 6);
    // each is in one text of every pair
    for (const rule of ["Rule 0.", "Rule 7."])
      expect(rolled.filter((one) => one.system?.includes(rule))).toHaveLength(3 * 6);
  });

  test("rules that help alone and spoil each other are not proven", async () => {
    const context = await scriptedContext((request) => {
      if (isOptimizer(request)) return proposeRules(request, "- Use pnpm.\n- Name the package.");
      const system = request.system ?? "";
      return system.includes("pnpm") !== system.includes("Name the package") ? "pnpm" : "npm";
    });
    const result = await consolidateNight(nightOf(), context);
    expect(result.rules.map(({ status }) => status)).toEqual(["open", "open"]);
    expect(result.documents[0]?.proposed).toEqual(skillDocument().skill);
  });

  test("a proven rule that loses a standing task is held back", async () => {
    const context = await scriptedContext((request) => {
      if (isOptimizer(request)) return proposeRules(request, "- Use pnpm.");
      const knows = request.system?.includes("Use pnpm") === true;
      return knows !== question(request).includes("old") ? "pnpm" : "npm";
    });
    const regression = [...tasksOf("old", 1), ...tasksOf("steady", 1)];
    const { rules } = await consolidateNight(nightOf({ regression }), context);
    expect(rules).toMatchObject([
      {
        status: "open",
        reason: expect.stringMatching(
          /^held back: it fails a standing task that passes without it; proven: /,
        ),
      },
    ]);
  });

  test("a rule that rests on one conversation is refused with that reason, and untested", async () => {
    const context = await scriptedContext(world("- Use pnpm."));
    const result = await consolidateNight(nightOf({ train: tasksOf("train", 1) }), context);
    expect(result.rules).toMatchObject([{ status: "refused", reason: "it comes from one conversation" }]);
    expect(result.flat).toBe("The only proposed edit was refused: it comes from one conversation");
    // another conversation calls for the same on a later night
    const later = nightOf({ night: "n2", rules: result.rules, train: tasksOf("train-b", 1) });
    const second = await consolidateNight(later, context);
    expect(second.rules).toMatchObject([
      { status: "proven", provenance: { conversations: ["c-train-1", "c-train-b-1"] } },
    ]);
  });

  const wishFor = (text: string, more: Partial<Wish> = {}) =>
    wishOf(text, { documents: [skillDocument().id], ...more });

  test("what a person wishes is staged the same night, measured, and never taken back by the gate", async () => {
    const context = await scriptedContext((request) =>
      isOptimizer(request) ? proposeRules(request) : "npm and nothing else",
    );
    const wishes = [wishFor("use pnpm!", { tasks: tasksOf("val", 5).map(({ task }) => task.id) })];
    const train = tasksOf("train", 1);
    const unmeasured = await consolidateNight(nightOf({ train, val: [], wishes }), context);
    expect(unmeasured.rules).toMatchObject([
      { origin: "stated", wish: wishes[0]?.id, status: "stated", reason: "You asked for it." },
    ]);
    expect(unmeasured.flat).toBeUndefined();
    expect(mainText(unmeasured.documents[0]?.proposed ?? skillDocument().skill)).toContain("\n- use pnpm!\n");

    const harmed = await scriptedContext((request) => {
      if (isOptimizer(request)) return proposeRules(request);
      return request.system?.includes("use pnpm!") === true ? "npm" : "pnpm";
    });
    const measured = await consolidateNight(
      nightOf({ night: "n2", train, val: tasksOf("val", 5), rules: unmeasured.rules, wishes }),
      harmed,
    );
    expect(measured.rules).toMatchObject([
      { status: "stated", reason: "does harm: 15 of 15 → 0 of 15 on 5 of your tasks" },
    ]);
  });

  test("a wording and the conversations that it was made from never measure each other", async () => {
    const context = await scriptedContext(world());
    const own = minedTask("fix", "Add zod.", ["c-fix"]);
    const wishes = [wishFor("Use pnpm", { tasks: ["fix", "val-1"] })];
    const { rules } = await consolidateNight(
      nightOf({ train: [], val: [own, ...tasksOf("val", 1)], wishes }),
      context,
    );
    expect(rules[0]?.evidence).toMatchObject([{ task: "val-1", isOwn: true }]);
  });

  test("a wish is measured on tasks of its habit, of tonight and of earlier nights; others only guard against harm", async () => {
    const context = await scriptedContext(world());
    const wishes = [
      wishFor("Use pnpm", { tasks: ["train-1", "old-2"] }),
      wishFor("Be brief", { id: "w-000000000002", tasks: ["val-1"] }),
    ];
    const { rules } = await consolidateNight(
      nightOf({ val: tasksOf("val", 2), earlier: tasksOf("old", 2), wishes }),
      context,
    );
    const seen = (nth: number) =>
      new Map(rules[nth]?.evidence.map(({ task, isOwn }) => [task, isOwn] as const).toSorted());
    expect(seen(0)).toEqual(
      new Map([
        ["old-2", true],
        ["train-1", true],
        ["val-1", false],
      ]),
    );
    expect(seen(1)).toEqual(
      new Map([
        ["old-2", false],
        ["train-1", false],
        ["val-1", true],
      ]),
    );
    expect(rules.map(({ reason }) => reason)).toEqual([
      "works on your tasks, not proven: 0 of 6 → 6 of 6 on 2 of your tasks",
      expect.stringMatching(/^not proven: \d of 3 → \d of 3 on 1 of your tasks$/),
    ]);
  });

  test("what is known of a wording goes with it into another document, and with words that the person chose; other words begin anew", async () => {
    const wish = wishFor("Use pnpm", { tasks: tasksOf("val", 2).map(({ task }) => task.id) });
    const first = await consolidateNight(
      nightOf({ val: tasksOf("val", 2), wishes: [wish] }),
      await scriptedContext(world()),
    );
    expect(first.rules[0]?.evidence).toHaveLength(2);
    const next = async (wishes: readonly Wish[], document = skillDocument()) =>
      (
        await consolidateNight(
          nightOf({ night: "n2", documents: [document], tasks: new Map(), rules: first.rules, wishes }),
          await scriptedContext(world()),
        )
      ).rules.at(-1);
    const memory = memoryDocument();
    expect(await next([{ ...wish, documents: [memory.id] }], memory)).toMatchObject({
      document: memory.id,
      evidence: first.rules[0]?.evidence,
    });
    const wordings = (by: "chosen" | "proposed") => [{ text: "Take pnpm", by, from: ["c-fix"] }];
    expect(await next([{ ...wish, wordings: wordings("chosen") }])).toMatchObject({
      edit: { text: "Take pnpm" },
      evidence: first.rules[0]?.evidence,
    });
    expect(await next([{ ...wish, wordings: wordings("proposed") }])).toMatchObject({
      edit: { text: "Take pnpm" },
      evidence: [],
    });
  });

  test("a wish that the person rejected, dropped or has is not proposed, in no wording; said again, a dropped one is", async () => {
    const context = await scriptedContext((request) =>
      isOptimizer(request) ? proposeRules(request, "- Take pnpm, always.") : "npm",
    );
    const train = tasksOf("train", 2);
    const run = (wish: Wish, rules: NightInput["rules"] = []) =>
      consolidateNight(nightOf({ train, val: [], wishes: [wish], rules }), context);
    const wish = wishFor("Use pnpm.", { tasks: train.map(({ task }) => task.id) });
    const { rules } = await run(wish);
    expect(rules).toMatchObject([{ status: "stated", edit: { text: "Use pnpm." } }]);
    const states = { rejected: "rejected", snoozed: "dropped", adopted: "adopted" } as const;
    for (const [kind, status] of Object.entries(states)) {
      const state = { kind: kind as keyof typeof states, at: 0, reason: "Not here." };
      const again = await run({ ...wish, state }, rules);
      expect(again.rules).toMatchObject([{ status, edit: { text: "Use pnpm." } }]);
      // its tasks could only show what was asked for already: nobody is asked
      expect(again.documents[0]?.unmatched).toEqual([]);
      expect(again.documents[0]?.proposed).toEqual(skillDocument().skill);
      // the same rule again, once the wish is open
      expect((await run(wish, again.rules)).rules.slice(0, 1)).toMatchObject([{ status: "stated" }]);
    }
  });

  test("with the gate off rules are proposed unmeasured and say so", async () => {
    const context = await scriptedContext(world("- Use pnpm."));
    const result = await consolidateNight(withSettings({ gate: "off" }), context);
    expect(result.gate).toBe("off");
    expect(result.rules).toMatchObject([
      { status: "open", reason: "unverified: the gate was off, so nothing was measured", evidence: [] },
    ]);
    expect(context.requests.filter((one) => question(one).includes("val-"))).toHaveLength(0);
    expect(result.flat).toBeUndefined();
  });

  test("no more than so many rules are measured at a time, the most promising first", async () => {
    const silent = await scriptedContext(world("- Use pnpm."));
    const first = await consolidateNight(nightOf({ val: tasksOf("val", 1) }), silent);
    const context = await scriptedContext(world("- Be brief."));
    const input = withSettings({ maxOpenRules: 1 }, { night: "n2", rules: first.rules });
    const { rules } = await consolidateNight(input, context);
    expect(
      rules.map(({ edit, evidence }) => [edit.op === "delete" ? "" : edit.text, evidence.length]),
    ).toEqual([
      ["Use pnpm.", 6],
      ["Be brief.", 0],
    ]);
  });

  test("a rule that no longer fits its document waits no more", async () => {
    const context = await scriptedContext(world());
    const known = await scriptedContext(world("- Use pnpm."));
    const { rules } = await consolidateNight(nightOf({ val: tasksOf("val", 1) }), known);
    const document = skillDocument(
      "<!-- whetstone:learned:start -->\n- Use pnpm.\n<!-- whetstone:learned:end -->\n",
    );
    const next = await consolidateNight(nightOf({ night: "n2", rules, documents: [document] }), context);
    expect(next.rules).toMatchObject([{ status: "adopted", reason: "the document has this rule already" }]);
  });

  test("a broken block stops the night before it costs anything, and names the file", async () => {
    const context = await scriptedContext(world());
    const document = skillDocument("<!-- whetstone:learned:start -->\n- a\n\nMine.\n");
    await expect(consolidateNight(nightOf({ documents: [document] }), context)).rejects.toMatchObject({
      code: "skill-invalid",
      message: expect.stringContaining(document.path),
    });
    expect(context.requests).toHaveLength(0);
  });
});

describe("skills and memory", () => {
  const documents = [skillDocument(), memoryDocument()] as const;
  const tasks = new Map([
    [documents[0].id, { train: tasksOf("train", 2), val: tasksOf("val", 6), regression: [] }],
    [documents[1].id, { train: tasksOf("habit", 2), val: tasksOf("custom", 6), regression: [] }],
  ]);

  /** Skill and memory alike are told in the system text, as the replay does. */
  const environmentFor: NightInput["environmentFor"] = (_, { skills, memory }) => ({
    ...chatEnvironment,
    run: (task, skill, context) =>
      chatEnvironment.run(
        {
          ...task,
          system: [`Beside: ${memory}`, ...skills.map((one) => `Beside: ${mainText(one)}`)].join("\n"),
        },
        skill,
        context,
      ),
  });

  test("memory is looked at under the new skill, and learns nothing that the skill settled", async () => {
    const context = await scriptedContext(world("- Use pnpm."));
    const result = await consolidateNight(nightOf({ documents, tasks, environmentFor }), context);
    expect(result.rules.map(({ document, status }) => [document, status])).toEqual([
      ["skill:shop", "proven"],
    ]);
    const habits = context.requests.filter((one) => question(one) === "Question habit-1.");
    expect(habits.map((one) => one.system?.includes("Use pnpm"))).toEqual([true]);
  });

  test("in rounds, memory does not wait for a skill that stays as it is", async () => {
    const context = await scriptedContext((request) =>
      isOptimizer(request) ? proposeRules(request) : "npm",
    );
    await consolidateNight({ ...nightOf({ documents, tasks, environmentFor }), inRounds: true }, context);
    const first = context.requests.findIndex(isOptimizer);
    const order = context.requests.slice(0, first).map(question);
    expect(order).toContain("Question train-1.");
    expect(order).toContain("Question habit-1.");
    expect(context.requests.filter((one) => question(one) === "Question habit-1.")).toHaveLength(1);
  });

  test("each has its own switch", async () => {
    for (const [evolveSkill, evolveMemory] of [
      [true, false],
      [false, true],
    ] as const) {
      const context = await scriptedContext(world("- Use pnpm."));
      const settings = { ...nightSettings, evolveSkill, evolveMemory };
      const result = await consolidateNight(nightOf({ documents, tasks, environmentFor, settings }), context);
      expect(result.documents.map((one) => one.document.kind)).toEqual([evolveSkill ? "skill" : "memory"]);
      expect(result.rules).toHaveLength(1);
    }
  });
});

describe("what the optimizer is told", () => {
  test("the learned block, the house preferences and where edits may go", async () => {
    const context = await scriptedContext(world());
    await consolidateNight(nightOf({ preferences: "Short sentences." }), context);
    const [asked] = context.requests.filter(isOptimizer);
    expect(asked?.system).toContain("Only the learned rules may change");
    expect(asked?.system).toContain("Short sentences.");
  });

  test("attempts that differ are contrasted, and failures without a difference are shown beside them", async () => {
    const context = await scriptedContext((request, nth) => {
      if (isOptimizer(request)) return proposeRules(request, "- Use pnpm.");
      return request.system?.includes("Use pnpm") === true || nth === 1 ? "pnpm" : "npm";
    });
    await consolidateNight(withSettings({ attempts: 3 }), context);
    const asked = context.requests.filter(isOptimizer).map(contractOf);
    expect(asked.slice(0, 2).toSorted()).toEqual(["analyst_error", "contrastive"]);
    const practised = context.requests.filter((one) => question(one) === "Question train-1.");
    expect(practised).toHaveLength(3);
  });
});

describe("a flat night says why", () => {
  const flatOf = async (
    answer: Parameters<typeof scriptedContext>[0],
    input: NightInput,
    settings: Parameters<typeof scriptedContext>[1] = {},
  ) => (await consolidateNight(input, await scriptedContext(answer, settings))).flat;

  test("no tasks", async () => {
    expect(await flatOf(world(), nightOf({ tasks: new Map() }))).toBe(
      "No tasks were available to practise on.",
    );
  });

  test("everything passed already", async () => {
    expect(await flatOf(() => "pnpm", nightOf())).toBe("Every attempt at the 2 train tasks passed already.");
  });

  test("no edit was proposed", async () => {
    expect(await flatOf(world(), nightOf())).toBe(
      "Some train tasks failed, but the optimizer proposed no usable edit.",
    );
  });

  test("the gate rejected", async () => {
    const answer = (request: ModelRequest) => {
      if (isOptimizer(request)) return proposeRules(request, "- Say nothing.");
      return request.system?.includes("nothing") === true || question(request).includes("train")
        ? ""
        : "pnpm";
    };
    expect(await flatOf(answer, nightOf())).toBe(
      "The gate rejected 1 rule: 18 of 18 → 0 of 18 on 6 of your tasks.",
    );
  });

  test("nothing to test on", async () => {
    expect(await flatOf(world("- Use pnpm."), nightOf({ val: [] }))).toBe(
      "1 rule couldn't be tested, because no task of its habit came from another conversation.",
    );
  });

  test("calls failed, in the provider's words", async () => {
    const answer = (request: ModelRequest) =>
      question(request).includes("val-")
        ? new InfraError("transport", "502 from the gateway")
        : world("- Use pnpm.")(request);
    expect(await flatOf(answer, nightOf(), { maxPendingShare: 1 })).toBe(
      "36 of 38 results are missing because calls failed: 502 from the gateway.",
    );
  });

  test("and the diagnostics hold every task, the optimizer's reply and the last call error", async () => {
    const context = await scriptedContext(
      (request) =>
        question(request).includes("val-2")
          ? new InfraError("transport", "502 from the gateway")
          : world("- Use pnpm.")(request),
      { maxPendingShare: 1 },
    );
    const night = nightOf({ val: tasksOf("val", 2) });
    const { diagnostics } = await consolidateNight(night, recorded(context));
    expect(diagnostics.callError).toBe("502 from the gateway");
    expect(diagnostics.optimizer).toMatchObject([
      { document: "skill:shop", reply: expect.stringContaining("Use pnpm") },
    ]);
    const [row] = diagnostics.tasks;
    expect(row).toMatchObject({
      document: "skill:shop",
      task: "train-1",
      split: "train",
      holds: [],
      check: "contains",
      hard: 0,
      responseLength: 15,
      responseHead: "npm install zod",
    });
    const missing = diagnostics.tasks.filter(({ hard }) => hard === null);
    expect(missing).toHaveLength(6);
    expect(missing[0]).toMatchObject({ task: "val-2", soft: null, why: "502 from the gateway" });
  });
});

describe("faults of the original", () => {
  test("fault 2: what a rule is judged by is drawn afresh, in both arms, in three neutral wordings", async () => {
    const context = await scriptedContext(world("- Use pnpm."));
    await consolidateNight(nightOf(), context);
    const asked = context.requests.filter((one) => question(one).includes("Question val-1."));
    const told = asked.filter((one) => one.system?.includes("Use pnpm") === true);
    expect([told.length, asked.length - told.length]).toEqual([3, 3]);
    expect(new Set(told.map(question)).size).toBe(3);
  });

  test("fault 3: an outage while the incumbent is measured is no win for the rule", async () => {
    const isBaseline = (request: ModelRequest) =>
      question(request).includes("val-") && request.system?.includes("Use pnpm") !== true;
    const outage = (request: ModelRequest) =>
      isBaseline(request)
        ? new InfraError("transport", "the provider is down")
        : world("- Use pnpm.")(request);
    await expect(consolidateNight(nightOf(), await scriptedContext(outage))).rejects.toMatchObject({
      code: "too-many-pending",
      message: expect.stringContaining("the provider is down"),
    });
    // even where so many missing results are allowed
    const tolerant = await scriptedContext(outage, { maxPendingShare: 1 });
    const result = await consolidateNight(nightOf(), tolerant);
    expect(result.rules).toMatchObject([{ status: "open", evidence: [] }]);
    expect(result.documents[0]?.proposed).toEqual(skillDocument().skill);
    // and once the provider answers, the same tasks are still fresh
    const later = await consolidateNight(
      nightOf({ night: "n2", rules: result.rules }),
      await scriptedContext(world()),
    );
    expect(later.rules).toMatchObject([{ status: "proven", proven: "n2" }]);
  });

  test("fault 3: a standing task without a result proves nothing either", async () => {
    const context = await scriptedContext(
      (request) =>
        question(request).includes("old")
          ? new InfraError("transport", "the provider is down")
          : world("- Use pnpm.")(request),
      { maxPendingShare: 1 },
    );
    const input = nightOf({ regression: tasksOf("old", 1) });
    expect((await consolidateNight(input, context)).rules).toMatchObject([
      { status: "open", reason: expect.stringContaining("held back: ") },
    ]);
  });

  test("fault 11: what was turned down reaches the optimizer, with the person's reason, and stays turned down", async () => {
    const first = await scriptedContext(world("- Use pnpm."));
    const { rules } = await consolidateNight(nightOf({ val: tasksOf("val", 1) }), first);
    const rejected = rules.map((rule) => ({
      ...rule,
      status: "rejected" as const,
      reason: "rejected by you: we are moving to bun",
    }));
    const context = await scriptedContext(world("- Use pnpm."));
    const result = await consolidateNight(nightOf({ night: "n2", rules: rejected }), context);
    const [asked] = context.requests.filter(isOptimizer);
    expect(asked?.system).toContain('- add "Use pnpm.": rejected by you: we are moving to bun');
    expect(result.rules).toEqual(rejected);
    expect(result.flat).toContain("it is known already: rejected by you: we are moving to bun");
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ["one edit", ["- Use pnpm.\n- Say nothing."], ["open", "rejected"]],
    ["two edits", ["- Say nothing.", "- Use pnpm."], ["rejected", "open"]],
  ])("fault 11: one bad rule of %s does not take the good one along", async (_, edits, statuses) => {
    const context = await scriptedContext((request) => {
      if (isOptimizer(request)) return proposeRules(request, ...edits);
      const system = request.system ?? "";
      if (system.includes("Say nothing")) return "";
      return system.includes("Use pnpm") || question(request).includes("easy") ? "pnpm" : "npm";
    });
    const val = [...tasksOf("val", 5), ...tasksOf("easy", 5)];
    const first = await consolidateNight(nightOf({ val }), context);
    // in half of the texts the bad one stands beside the good one, and spoils what that would win
    expect(first.rules.map(({ status }) => status)).toEqual(statuses);
    const later = nightOf({ night: "n2", val: tasksOf("later", 8), rules: first.rules });
    const { rules, documents } = await consolidateNight(later, context);
    expect(rules.map(({ status }) => status)).toEqual(
      statuses.map((status) => (status === "open" ? "proven" : status)),
    );
    expect(mainText(documents[0]?.proposed ?? skillDocument().skill)).toContain("- Use pnpm.\n<!--");
  });
});
