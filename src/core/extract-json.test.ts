import fc from "fast-check";
import { expect, test } from "vitest";
import { growth } from "../../test/support/growth.ts";
import vectors from "../../test/vectors/extract-json.json" with { type: "json" };
import { extractJson } from "./extract-json.ts";

test.each(vectors)("vector %#: $text", ({ text, object }) => {
  expect(extractJson(text)).toEqual(object);
});

test.each([
  ["an object in an unfinished list", '[{"a":1},{"b":'],
  ["an object in an unfinished object", 'Sure: {"a": {"b": 1}'],
  ["a second object that never ends", '{"a":1} {"b":'],
  ["a fence inside an unfinished object", '{"nested":"```json {} ```"'],
  ["a fence in a string with closing brackets, cut after it", '{"a":"}}}]]] ```{}``` and'],
  ["a second list that never ends but holds a bracket in quotes", '{"a":1} ["]", '],
  ["a fence that never closes", '```json\n{"a": {"b": 1}, '],
])("%s is not taken", (_, text) => {
  expect(extractJson(text)).toBeNull();
});

test("a fence inside a string does not end the fenced object", () => {
  const object = { content: "use\n```js\nx\n```\nhere" };
  expect(extractJson(`Here:\n\`\`\`json\n${JSON.stringify(object)}\n\`\`\``)).toEqual(object);
});

test("brackets and fences in strings hide nothing and offer nothing", () => {
  const object = { content: "}}}]]] ```{}``` {{{[[[" };
  expect(extractJson(`I looked at [1].\n${JSON.stringify(object)}`)).toEqual(object);
});

const framed = fc
  .tuple(
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 }),
    fc.constantFrom(
      ["", ""],
      ["```json\n", "\n```"],
      ["Here it is: ", " Done."],
      ["A list [1] and:\n```\n", "\n```\nthanks"],
    ),
  )
  .map(([object, [head = "", tail = ""]]) => ({ object, head, tail, text: JSON.stringify(object) }));

test("a whole object is found in every frame", () => {
  fc.assert(
    fc.property(framed, ({ head, tail, text }) => {
      expect(extractJson(head + text + tail)).toEqual(JSON.parse(text));
    }),
  );
});

test("a truncated object is never taken", () => {
  fc.assert(
    fc.property(framed, fc.nat(), ({ head, text }, cut) => {
      expect(extractJson(head + text.slice(0, cut % text.length))).toBeNull();
    }),
    { numRuns: 3000 },
  );
});

test.each(["{", "[", "```", '{"a":', "```json {", "} {", "\\", '"'])(
  "a hostile reply of %j neither throws nor takes more than its length",
  (piece) => {
    expect(growth((size) => expect(extractJson(piece.repeat(size))).toBeNull(), 50_000)).toBeLessThan(8);
  },
);
