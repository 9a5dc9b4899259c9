import { describe, expect, test } from "vitest";
import { contractOf, scriptedContext } from "../../../../test/support/scripted-context.ts";
import { InfraError } from "../../errors.ts";
import type { ModelRequest } from "../../ports/model.ts";
import { mainText } from "../../skill/skill.ts";
import { chatEnvironment } from "../../tasks/chat-environment.ts";
import { minedTask } from "../../../../test/support/mined-tasks.ts";
import {
  memoryDocument,
  nightOf,
  nightSettings,
  proposeRules,
  skillDocument,
  tasksOf,
} from "../../../../test/support/night-input.ts";
import { consolidateNight } from "./night.ts";
import { wishOf } from "../../../../test/support/wishes.ts";
import type { MinedTask } from "../mine/mined-task.ts";
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
        nights: [{ night: "n1", wins: 6, losses: 0, ties: 0 }],
      },
    ]);
    expect(result.together).toEqual({ wins: 6, losses: 0, ties: 0, isBetter: true });
    expect(document && mainText(document.proposed)).toBe(
      "# Shop\n\nBe kind.\n\n<!-- whetstone:learned:start -->\n- Use pnpm.\n<!-- whetstone:learned:end -->\n",
    );
    expect(result.flat).toBeUndefined();
  });

  test("evidence adds up over nights, and no task counts twice", async () => {
    const context = await scriptedContext(world("- Use pnpm."));
    const first = await consolidateNight(nightOf({ val: tasksOf("val", 2) }), context);
    expect(first.rules).toMatchObject([
      { status: "open", reason: "promising, not proven: 2 won, 0 lost, 0 tied" },
    ]);
    expect(first.flat).toBe(
      "1 rule is undecided: 2 won, 0 lost, 0 tied so far, and proof needs more (e ≥ 10, such as five won and none lost).",
    );
    expect(mainText(first.documents[0]?.proposed ?? skillDocument("?").skill)).toBe("# Shop\n\nBe kind.\n");
    expect(mainText(first.documents[0]?.promising ?? skillDocument("?").skill)).toContain("- Use pnpm.");

    const again = await consolidateNight(
      nightOf({ night: "n2", rules: first.rules, val: tasksOf("val", 2) }),
      context,
    );
    expect(again.rules).toMatchObject([{ status: "open", nights: [{ night: "n1" }] }]);
    const third = await consolidateNight(
      nightOf({ night: "n3", rules: again.rules, val: tasksOf("later", 3) }),
      context,
    );
    expect(third.rules).toMatchObject([{ status: "proven", nights: [{ night: "n1" }, { night: "n3" }] }]);
  });

  test("the same night again costs nothing, and another night draws afresh", async () => {
    const context = await scriptedContext(world("- Use pnpm."));
    // what is bought is written down, as the real executor does
    const { journal, executor } = context;
    const recording = {
      ...context,
      executor: {
        async execute(call: Parameters<typeof executor.execute>[0]) {
          const done = await executor.execute(call);
          const body = { output: done.output, cost: { ...done.cost } };
          await journal.write({ kind: "result", run: "test", key: call.key, name: "", body });
          return done;
        },
      },
    };
    const once = await consolidateNight(nightOf(), recording);
    const calls = context.requests.length;
    expect(await consolidateNight(nightOf(), recording)).toEqual(once);
    expect(context.requests).toHaveLength(calls);
    await consolidateNight(nightOf({ night: "n2" }), recording);
    expect(context.requests).toHaveLength(2 * calls);
  });

  test("one good and one bad rule of the same reply get a verdict each", async () => {
    const context = await scriptedContext((request) => {
      if (isOptimizer(request)) return proposeRules(request, "- Use pnpm.\n- Say nothing.");
      const system = request.system ?? "";
      if (system.includes("Say nothing")) return "";
      return system.includes("Use pnpm") || question(request).includes("easy") ? "pnpm" : "npm";
    });
    const val = [...tasksOf("val", 5), ...tasksOf("easy", 5)];
    const { rules } = await consolidateNight(nightOf({ val }), context);
    expect(rules.map(({ status, reason }) => [status, reason])).toEqual([
      ["proven", "proven: 5 won, 0 lost, 5 tied, e = 10.5"],
      ["rejected", "rejected by the gate: 0 won, 5 lost, 5 tied"],
    ]);
  });

  test("rules that help alone and fail together go back to open, and nothing is proposed", async () => {
    const context = await scriptedContext((request) => {
      if (isOptimizer(request)) return proposeRules(request, "- Use pnpm.\n- Name the package.");
      const system = request.system ?? "";
      return system.includes("pnpm") !== system.includes("Name the package") ? "pnpm" : "npm";
    });
    const result = await consolidateNight(nightOf(), context);
    expect(result.together).toEqual({ wins: 0, losses: 0, ties: 6, isBetter: false });
    expect(result.rules.map(({ status }) => status)).toEqual(["open", "open"]);
    expect(result.rules[0]?.reason).toContain("all together were not better");
    expect(result.documents[0]?.proposed).toEqual(skillDocument().skill);
    expect(result.flat).toBe(
      "What was proven by itself did not hold together: 0 won, 0 lost, 6 tied against the originals.",
    );
  });

  test("a proven rule that loses a standing task is held back", async () => {
    const context = await scriptedContext((request) => {
      if (isOptimizer(request)) return proposeRules(request, "- Use pnpm.");
      const knows = request.system?.includes("Use pnpm") === true;
      return knows !== question(request).includes("old") ? "pnpm" : "npm";
    });
    const document = skillDocument();
    const tasks = {
      train: tasksOf("train", 2),
      val: tasksOf("val", 6),
      regression: [...tasksOf("old", 1), ...tasksOf("steady", 1)],
    };
    const { rules } = await consolidateNight(
      nightOf({ documents: [document], tasks: new Map([[document.id, tasks]]) }),
      context,
    );
    expect(rules).toMatchObject([
      {
        status: "open",
        reason: "held back: the standing task old-1 was always passed and is now always failed",
      },
    ]);
  });

  test("a rule that rests on one conversation is refused with that reason, and untested", async () => {
    const context = await scriptedContext(world("- Use pnpm."));
    const document = skillDocument();
    const tasks = { train: tasksOf("train", 1), val: tasksOf("val", 6), regression: [] };
    const input = nightOf({ documents: [document], tasks: new Map([[document.id, tasks]]) });
    const result = await consolidateNight(input, context);
    expect(result.rules).toMatchObject([{ status: "refused", reason: "it comes from one conversation" }]);
    expect(result.flat).toBe("The only edit that was proposed was refused: it comes from one conversation");
    // another conversation calls for the same on a later night
    const later = { ...tasks, train: tasksOf("train-b", 1) };
    const second = await consolidateNight(
      { ...input, night: "n2", rules: result.rules, tasks: new Map([[document.id, later]]) },
      context,
    );
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
    const document = skillDocument();
    const wishes = [wishFor("use pnpm!")];
    const tasks = (val: readonly MinedTask[]) =>
      new Map([[document.id, { train: tasksOf("train", 1), val, regression: [] }]]);
    const unmeasured = await consolidateNight(
      nightOf({ documents: [document], tasks: tasks([]), wishes }),
      context,
    );
    expect(unmeasured.rules).toMatchObject([
      { origin: "stated", wish: wishes[0]?.id, status: "stated", reason: "stated once, not measured" },
    ]);
    expect(unmeasured.flat).toBeUndefined();
    expect(mainText(unmeasured.documents[0]?.proposed ?? document.skill)).toContain("\n- use pnpm!\n");

    const harmed = await scriptedContext((request) => {
      if (isOptimizer(request)) return proposeRules(request);
      return request.system?.includes("use pnpm!") === true ? "npm" : "pnpm";
    });
    const measured = await consolidateNight(
      nightOf({
        night: "n2",
        documents: [document],
        tasks: tasks(tasksOf("val", 5)),
        rules: unmeasured.rules,
        wishes,
      }),
      harmed,
    );
    expect(measured.rules).toMatchObject([
      { status: "stated", reason: "stated by you, not proven: 0 won, 5 lost, 0 tied" },
    ]);
  });

  test("a wording and the conversations that it was made from never measure each other", async () => {
    const context = await scriptedContext(world());
    const document = skillDocument();
    const own = minedTask("fix", "Add zod.", ["c-fix"]);
    const tasks = { train: [], val: [own, ...tasksOf("val", 1)], regression: [] };
    const { rules } = await consolidateNight(
      nightOf({
        documents: [document],
        tasks: new Map([[document.id, tasks]]),
        wishes: [wishFor("Use pnpm", { tasks: ["fix"] })],
      }),
      context,
    );
    expect(rules[0]?.nights).toMatchObject([{ tasks: ["val-1"] }]);
  });

  test("a wish that the person rejected, dropped or has is not proposed, in no wording; said again, a dropped one is", async () => {
    const context = await scriptedContext((request) =>
      isOptimizer(request) ? proposeRules(request, "- Take pnpm, always.") : "npm",
    );
    const document = skillDocument();
    const train = tasksOf("train", 2);
    const run = (wish: Wish, rules: NightInput["rules"] = []) =>
      consolidateNight(
        nightOf({
          documents: [document],
          tasks: new Map([[document.id, { train, val: [], regression: [] }]]),
          wishes: [wish],
          rules,
        }),
        context,
      );
    const wish = wishFor("Use pnpm.", { tasks: train.map(({ task }) => task.id) });
    const { rules } = await run(wish);
    expect(rules).toMatchObject([{ status: "stated", edit: { text: "Use pnpm." } }]);
    const states = { rejected: "rejected", snoozed: "dropped", adopted: "adopted" } as const;
    for (const [kind, status] of Object.entries(states)) {
      const state = { kind: kind as keyof typeof states, at: 0, reason: "Not here." };
      const again = await run({ ...wish, state }, rules);
      expect(again.rules).toMatchObject([{ status, edit: { text: "Use pnpm." } }]);
      expect(again.documents[0]?.unmatched).toMatchObject([{ reason: 'it repeats the wish "Use pnpm."' }]);
      expect(again.documents[0]?.proposed).toEqual(document.skill);
      // the same rule again, once the wish is open
      expect((await run(wish, again.rules)).rules).toMatchObject([{ status: "stated" }]);
    }
  });

  test("with the gate off rules are proposed unmeasured and say so", async () => {
    const context = await scriptedContext(world("- Use pnpm."));
    const result = await consolidateNight(withSettings({ gate: "off" }), context);
    expect(result.gate).toBe("off");
    expect(result.rules).toMatchObject([
      { status: "open", reason: "unverified: the gate was off, so nothing was measured", nights: [] },
    ]);
    expect(context.requests.filter((one) => question(one).includes("val-"))).toHaveLength(0);
    expect(result.flat).toBeUndefined();
  });

  test("only the oldest open rules are tried again, and new ones always", async () => {
    const silent = await scriptedContext(world("- Use pnpm."));
    const first = await consolidateNight(nightOf({ val: tasksOf("val", 1) }), silent);
    const context = await scriptedContext(world("- Use pnpm, please."));
    const input = withSettings({ maxOpenRules: 0 }, { night: "n2", rules: first.rules });
    const { rules } = await consolidateNight(input, context);
    expect(rules.map(({ nights }) => nights.length)).toEqual([1, 1]);
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
    // its val tasks, too, face the originals with everything together
    expect(result.together).toEqual({ wins: 12, losses: 0, ties: 0, isBetter: true });
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
    expect(await flatOf(world(), nightOf({ tasks: new Map() }))).toBe("There were no tasks to practise on.");
  });

  test("everything passed already", async () => {
    expect(await flatOf(() => "pnpm", nightOf())).toBe("Every attempt at the 2 train tasks passed already.");
  });

  test("no edit was proposed", async () => {
    expect(await flatOf(world(), nightOf())).toBe(
      "Some train tasks failed, but the optimizer proposed no edit that can be used.",
    );
  });

  test("the gate rejected", async () => {
    const answer = (request: ModelRequest) => {
      if (isOptimizer(request)) return proposeRules(request, "- Say nothing.");
      return request.system?.includes("nothing") === true || question(request).includes("train")
        ? ""
        : "pnpm";
    };
    expect(await flatOf(answer, nightOf())).toBe("The gate rejected 1 rule: 0 won, 6 lost, 0 tied.");
  });

  test("nothing to test on", async () => {
    expect(await flatOf(world("- Use pnpm."), nightOf({ val: [] }))).toBe(
      "1 rule could not be tested: no val task came from a conversation of its own.",
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
    const { journal, executor } = context;
    const { diagnostics } = await consolidateNight(nightOf({ val: tasksOf("val", 2) }), {
      ...context,
      executor: {
        async execute(call) {
          const done = await executor.execute(call);
          const body = { output: done.output, cost: { ...done.cost } };
          await journal.write({ kind: "result", run: "test", key: call.key, name: "", body });
          return done;
        },
      },
    });
    expect(diagnostics.callError).toBe("502 from the gateway");
    expect(diagnostics.optimizer).toMatchObject([
      { document: "skill:shop", reply: expect.stringContaining("Use pnpm") },
    ]);
    const [row] = diagnostics.tasks;
    expect(row).toMatchObject({
      document: "skill:shop",
      task: "train-1",
      split: "train",
      arm: "incumbent",
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
  test("fault 2: the final replay of everything together is drawn afresh, in both arms", async () => {
    const context = await scriptedContext(world("- Use pnpm."));
    const result = await consolidateNight(nightOf(), context);
    expect(result.together?.isBetter).toBe(true);
    const asked = context.requests.filter((one) => question(one) === "Question val-1.");
    const told = asked.filter((one) => one.system?.includes("Use pnpm") === true);
    // three trials of the gate and three of the final replay, with the rule and without
    expect([told.length, asked.length - told.length]).toEqual([6, 6]);
  });

  test("fault 25: in rounds, what follows the gate is asked along with it, and decides nothing else", async () => {
    const plain = await scriptedContext(world("- Use pnpm.", "- Be terse."));
    const input = nightOf();
    const expected = await consolidateNight(input, plain);
    expect(expected.together?.isBetter).toBe(true);
    // nobody answers from the gate on: what is waiting by then is one round
    const unanswered: string[] = [];
    const silent = await scriptedContext((request) => {
      if (!question(request).includes("val-")) return world("- Use pnpm.")(request);
      unanswered.push(question(request));
      return new InfraError("transport", "nobody has answered yet");
    });
    const rounds = { ...silent, settings: { ...silent.settings, maxPendingShare: 0 } };
    const asked = async (inRounds: boolean) => {
      unanswered.length = 0;
      await expect(consolidateNight({ ...input, inRounds }, rounds)).rejects.toMatchObject({
        code: "too-many-pending",
      });
      return unanswered.length;
    };
    expect(await asked(true)).toBe(2 * (await asked(false)));
    // a rule that may be proven and is not: what was foretold is left aside
    const context = await scriptedContext(world("- Use pnpm.", "- Be terse."));
    expect(await consolidateNight({ ...input, inRounds: true }, context)).toEqual(expected);
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
    expect(result.rules).toMatchObject([{ status: "open", nights: [] }]);
    expect(result.documents[0]?.proposed).toEqual(skillDocument().skill);
    // and once the provider answers, the same tasks are still fresh
    const later = await consolidateNight(
      nightOf({ night: "n2", rules: result.rules }),
      await scriptedContext(world()),
    );
    expect(later.rules).toMatchObject([{ status: "proven", nights: [{ wins: 6 }] }]);
  });

  test("fault 3: a standing task without a result proves nothing either", async () => {
    const document = skillDocument();
    const tasks = { train: tasksOf("train", 2), val: tasksOf("val", 6), regression: tasksOf("old", 1) };
    const context = await scriptedContext(
      (request) =>
        question(request).includes("old")
          ? new InfraError("transport", "the provider is down")
          : world("- Use pnpm.")(request),
      { maxPendingShare: 1 },
    );
    const input = nightOf({ documents: [document], tasks: new Map([[document.id, tasks]]) });
    expect((await consolidateNight(input, context)).rules).toMatchObject([
      { status: "open", reason: "held back: the standing task old-1 has no result tonight" },
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

  test("fault 11: one bad rule does not take the good ones of its batch along", async () => {
    const context = await scriptedContext((request) => {
      if (isOptimizer(request)) return proposeRules(request, "- Say nothing.", "- Use pnpm.");
      const system = request.system ?? "";
      if (system.includes("nothing")) return "";
      return system.includes("Use pnpm") || question(request).includes("easy") ? "pnpm" : "npm";
    });
    const val = [...tasksOf("val", 5), ...tasksOf("easy", 5)];
    const { rules, documents } = await consolidateNight(nightOf({ val }), context);
    expect(rules.map(({ status }) => status)).toEqual(["rejected", "proven"]);
    expect(mainText(documents[0]?.proposed ?? skillDocument().skill)).toContain("- Use pnpm.\n<!--");
  });
});
