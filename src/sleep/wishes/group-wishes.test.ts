import { expect, test } from "vitest";
import { contractOf, scriptedContext } from "../../../test/support/scripted-context.ts";
import { day, firstDay, saidOn, wishOf } from "../../../test/support/wishes.ts";
import { applyGroups, groupPlainly, groupWishes } from "./group-wishes.ts";
import { singleFileSkill } from "../../core/skill/skill.ts";
import { isStanding } from "./wish.ts";
import { wishRules } from "./wish-rules.ts";
import { isPlainlySame, readPlain } from "./plainly-same.ts";
import type { Remark } from "./remarks.ts";

const remark = (nth: number, text: string): Remark => ({
  sentence: saidOn(nth, text),
  scope: "project",
  tasks: [`t${nth}`],
});
const later = firstDay + 30 * day;
const texts = (wishes: Awaited<ReturnType<typeof groupWishes>>) =>
  wishes.map(({ said }) => said.map(({ text }) => text));
const unasked = () => {
  throw new Error("nobody is asked");
};

test.each([
  ["We use pnpm here, not npm.", "we use pnpm here,  not NPM!!", true],
  ["always run make lint before committing", "Always run `make lint` before committing.", true],
  ["always run make lint before committing", "Always run `make lint` before committing, please", false],
  ["use tabs", "never use tabs", false],
  ["at most 80 columns", "at most 100 columns", false],
  ["金额一律用整数分！", "金额一律用整数分。", true],
  ["用 pnpm", "金额一律用整数分", false],
  ["", "", false],
])("%j and %j are plainly the same: %s", (a, b, same) => {
  expect(isPlainlySame(readPlain(a), readPlain(b))).toBe(same);
});

const opposites: readonly (readonly [string, string])[] = [
  ["Use spaces, not tabs.", "Use tabs, not spaces."],
  ["use tabs not spaces in this repo", "use spaces not tabs in this repo"],
  ["we use pnpm here, not npm", "we use npm here, not pnpm"],
  ["Fehlermeldungen immer auf Deutsch schreiben", "Fehlermeldungen nicht auf Deutsch schreiben"],
  ["Schreib Commit-Nachrichten auf Deutsch", "Schreib Commit-Nachrichten nicht mehr auf Deutsch"],
  ["Kommentare im Code bitte auf Deutsch", "Keine Kommentare im Code bitte auf Deutsch"],
  ["金额一律用整数分，不要用浮点数", "金额一律用浮点数，不要用整数分"],
  ["用 pnpm 安装依赖", "不要用 pnpm 安装依赖"],
  ["函数要写注释", "函数不要写注释"],
  ["always squash before merging to main", "never squash before merging to main"],
  ["always run make lint before you commit", "you can skip make lint before you commit"],
  ["put new tests in test/ instead of src/", "put new tests in src/ instead of test/"],
  ["prefer composition over inheritance in services", "prefer inheritance over composition in services"],
  ["Utilise toujours des guillemets simples", "N'utilise jamais des guillemets simples"],
  ["usa siempre comillas simples", "no usa siempre comillas simples"],
  ["tests go before code, not after", "code goes before tests, not after"],
  ["log in UTC not local time", "log in local time not UTC"],
  ["add semicolons everywhere", "remove semicolons everywhere"],
  ["turn strict mode on in every package", "turn strict mode off in every package"],
  ["write docs for every public function", "no docs for every public function"],
  // they differ in nothing but marks or case
  ["compare with === and never with ==", "compare with == and never with ==="],
  [`quote with ' and not with "`, `quote with " and not with '`],
  ["call it userId, not userID", "call it userID, not userId"],
];

test("of a person who changes their mind no two sentences are joined without a model", () => {
  expect(
    groupPlainly(
      [],
      opposites.flat().map((text, at) => remark(at, text)),
    ).groups,
  ).toHaveLength(2 * opposites.length);
});

test("what is plainly the same goes together without a call, and to the wish that is known", async () => {
  const context = await scriptedContext(unasked);
  const first = await groupWishes(
    [],
    [remark(1, "use pnpm, not npm"), remark(2, "Use pnpm, not npm!")],
    later,
    context,
  );
  expect(texts(first)).toEqual([["use pnpm, not npm", "Use pnpm, not npm!"]]);
  const second = await groupWishes(first, [remark(3, "use pnpm, not npm.")], later, context);
  expect(second).toMatchObject([{ id: first[0]?.id, tasks: ["t1", "t2", "t3"] }]);
  expect(await groupWishes(second, [], later, context)).toEqual(second);
});

test("one call groups the rest by meaning, over all that is known; ids stay and nothing is moved", async () => {
  const known = [
    wishOf("Use pnpm.", { state: { kind: "rejected", at: 0, reason: "No." } }),
    wishOf("Dates are ISO.", { id: "w-000000000002" }),
    wishOf("Write dates as 2026-11-03.", { id: "w-000000000003" }),
  ];
  const context = await scriptedContext(() =>
    JSON.stringify({
      groups: [
        { sentences: [1], wish: 1 },
        { sentences: [2, 3, 2, 9], wish: null },
        // it asks for two things
        { sentences: [1], wish: 2 },
      ],
      same: [
        [3, 2],
        [2, 2],
        [1, 7],
      ],
    }),
  );
  const remarks = [
    remark(4, "pnpm add -D, das andere nicht"),
    remark(5, "金额一律用整数分"),
    remark(6, "money is integer cents"),
    remark(7, "errors in German"),
  ];
  const wishes = await groupWishes(known, remarks, later, context);
  expect(context.requests.map(contractOf)).toEqual(["group_wishes"]);
  expect(texts(wishes)).toEqual([
    ["Use pnpm.", "pnpm add -D, das andere nicht"],
    ["Dates are ISO.", "pnpm add -D, das andere nicht"],
    ["Write dates as 2026-11-03."],
    ["金额一律用整数分", "money is integer cents"],
    ["errors in German"],
  ]);
  expect(wishes.slice(0, 3).map(({ id }) => id)).toEqual(known.map(({ id }) => id));
  expect(wishes.map(({ sameAs }) => sameAs)).toEqual([[], [], ["w-000000000002"], [], []]);
  expect(wishes[0]?.state.kind).toBe("rejected");
});

test("without a usable reply each remark stands for itself", async () => {
  const context = await scriptedContext(() => "I would rather not.");
  const wishes = await groupWishes([], [remark(1, "use pnpm"), remark(2, "dates are ISO")], later, context);
  expect(texts(wishes)).toEqual([["use pnpm"], ["dates are ISO"]]);
});

type Said = Parameters<typeof applyGroups>[2];
const adopted = wishOf("Indent with tabs.", {
  said: [saidOn(1, "tabs in all files")],
  state: { kind: "adopted", at: firstDay + day, reason: "You adopted it.", decided: ["memory:CLAUDE.md"] },
});
const block = (...rules: readonly string[]) =>
  singleFileSkill(
    `# Shop\n\n<!-- whetstone:learned:start -->\n${rules.map((rule) => `- ${rule}\n`).join("")}<!-- whetstone:learned:end -->\n`,
  );
const edits = (wishes: Parameters<typeof wishRules>[0], ...rules: readonly string[]) =>
  wishRules(wishes, { id: "memory:CLAUDE.md", skill: block(...rules) }).map(({ edit, reason }) => ({
    edit,
    reason,
  }));
const apply = (known: Parameters<typeof applyGroups>[0], remarks: readonly Remark[], reply: Partial<Said>) =>
  applyGroups(
    known,
    remarks.map((one) => [one]),
    { groups: [], relations: [], same: [], ...reply },
    later,
  );
const worded = (wishes: ReturnType<typeof apply>, text: string) =>
  wishes.map((wish) => ({
    ...wish,
    documents: ["memory:CLAUDE.md"],
    wordings: wish.wordings.length > 0 ? wish.wordings : [{ text, by: "proposed" as const, from: [] }],
  }));

test("the opposite closes the wish, and takes the place of its rule in the file; whichever was said last holds", () => {
  const opposite = { sentence: 1, is: "opposite" as const, wish: 1, of: null };
  const wishes = worded(
    apply([adopted], [remark(9, "two spaces, we changed that")], { relations: [opposite] }),
    "Indent with two spaces.",
  );
  expect(wishes.map(({ state }) => state.kind)).toEqual(["changed", "open"]);
  expect(edits(wishes, "Indent with tabs.")).toEqual([
    {
      edit: { op: "replace", target: "Indent with tabs.", text: "Indent with two spaces." },
      reason: "You changed your mind on 9 November 2026.",
    },
  ]);
  const back = apply(wishes, [remark(12, "tabs again, please")], {
    groups: [{ sentences: [1], wish: 1 }],
    relations: [{ ...opposite, wish: 2 }],
  });
  expect(back.map(({ state }) => state.kind)).toEqual(["open", "changed"]);
  const earlier = apply([{ ...adopted, said: [saidOn(20, "tabs")] }], [remark(9, "spaces")], {
    relations: [opposite],
  });
  expect(earlier.map(({ state }) => state.kind)).toEqual(["adopted", "changed"]);
});

test("an opposite that a grouping puts into the same group is taken out of it", () => {
  const [tabs, spaces] = apply([], [remark(1, "tabs, not spaces"), remark(2, "spaces, not tabs")], {
    groups: [{ sentences: [1, 2], wish: null }],
    relations: [{ sentence: 2, is: "opposite", wish: null, of: 1 }],
  });
  expect([tabs?.said.length, spaces?.said.length, tabs?.state.kind]).toEqual([1, 1, "changed"]);
});

test("what is taken back is deleted from the file, once said again it is open; a word for one occasion changes nothing", () => {
  const takesBack = [{ sentence: 1, is: "takes back" as const, wish: 1, of: null }];
  const wishes = apply([adopted], [remark(9, "forget the tabs")], { relations: takesBack });
  expect(wishes).toHaveLength(1);
  expect(edits(wishes, "Indent with tabs.")).toEqual([
    {
      edit: { op: "delete", target: "Indent with tabs." },
      reason: 'You took it back on 9 November 2026: "forget the tabs".',
    },
  ]);
  expect(edits(wishes)).toEqual([]);
  const once = remark(9, "spaces in this one");
  const kept = apply([adopted], [{ ...once, sentence: { ...once.sentence, lasts: "once" } }], {
    relations: [{ ...takesBack[0]!, is: "opposite" }],
  });
  expect(kept.map(({ state }) => state.kind)).toEqual(["adopted", "open"]);
  expect(kept.map(isStanding)).toEqual([true, false]);
});

test("a narrower wish is worded again and takes the place of the wider rule", () => {
  const [wish] = apply([adopted], [remark(9, "but not in yaml")], {
    groups: [{ sentences: [1], wish: 1 }],
    relations: [{ sentence: 1, is: "narrows", wish: 1, of: null }],
  });
  expect(wish).toMatchObject({ wordings: [], state: { kind: "open" } });
  expect(wish?.said.map(({ text }) => text)).toEqual(["tabs in all files", "but not in yaml"]);
  expect(edits(worded([wish!], "Tabs, but not in YAML."), "Indent with tabs.")[0]?.edit).toMatchObject({
    op: "replace",
    target: "Indent with tabs.",
  });
});

test("a sentence that asks for two things counts for both wishes, and its task for neither", () => {
  const [dates, cents] = apply(
    [],
    [remark(1, "dates are ISO"), remark(2, "cents"), remark(3, "ISO, and in cents")],
    {
      groups: [
        { sentences: [1, 3], wish: null },
        { sentences: [2, 3], wish: null },
      ],
    },
  );
  expect([dates, cents].map((wish) => [wish?.said.length, wish?.tasks])).toEqual([
    [2, ["t1"]],
    [2, ["t2"]],
  ]);
});
