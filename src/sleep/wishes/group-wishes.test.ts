import { expect, test } from "vitest";
import { contractOf, scriptedContext } from "../../../test/support/scripted-context.ts";
import { saidOn, wishOf } from "../../../test/support/wishes.ts";
import { groupPlainly, groupWishes } from "./group-wishes.ts";
import { isPlainlySame, readPlain } from "./plainly-same.ts";
import type { Remark } from "./remarks.ts";

const remark = (nth: number, text: string): Remark => ({
  sentence: saidOn(nth, text),
  scope: "project",
  tasks: [`t${nth}`],
});
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
    context,
  );
  expect(texts(first)).toEqual([["use pnpm, not npm", "Use pnpm, not npm!"]]);
  const second = await groupWishes(first, [remark(3, "use pnpm, not npm.")], context);
  expect(second).toMatchObject([{ id: first[0]?.id, tasks: ["t1", "t2", "t3"] }]);
  expect(await groupWishes(second, [], context)).toEqual(second);
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
        // it stands elsewhere already
        { sentences: [1, 3], wish: 2 },
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
  const wishes = await groupWishes(known, remarks, context);
  expect(context.requests.map(contractOf)).toEqual(["group_wishes"]);
  expect(texts(wishes)).toEqual([
    ["Use pnpm.", "pnpm add -D, das andere nicht"],
    ["Dates are ISO."],
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
  const wishes = await groupWishes([], [remark(1, "use pnpm"), remark(2, "dates are ISO")], context);
  expect(texts(wishes)).toEqual([["use pnpm"], ["dates are ISO"]]);
});
