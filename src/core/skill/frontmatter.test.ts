import fc from "fast-check";
import { expect, test } from "vitest";
import { readFrontmatter, withFrontmatterField } from "./frontmatter.ts";

const block = (...lines: readonly string[]): string => ["---", ...lines, "---", "# Body", ""].join("\n");

test("fields are plain data", () => {
  const text = block(
    'name: a # why "a"',
    "description: >-",
    "  two",
    "  lines",
    "metadata:",
    "  version: '1.0'",
  );
  expect(readFrontmatter(text)).toEqual({
    kind: "read",
    fields: { name: "a", description: "two lines", metadata: { version: "1.0" } },
  });
  expect(readFrontmatter("\uFEFF---\r\nname: a\r\n---\r\n")).toEqual({ kind: "read", fields: { name: "a" } });
  expect(readFrontmatter("---\n---\n")).toEqual({ kind: "read", fields: {} });
  expect(readFrontmatter("# No block\n\n---\nname: a\n---\n")).toEqual({ kind: "none" });
});

test.each([
  ["a key twice", block("name: a", "name: b"), "unique at line 3"],
  ["a tag", block("name: !!js/function 'run()'"), "tag"],
  ["a text that needs quotes", block("description: Use when: always"), "line 2"],
  ["a list", block("- a"), "a list of"],
  [
    "a bomb",
    block("a: &a [x]", "b: &b [*a,*a,*a,*a,*a,*a]", "c: &c [*b,*b,*b,*b,*b,*b]", "d: [*c,*c,*c,*c]"),
    "alias",
  ],
  ["too much", block(`name: ${"a".repeat(33 * 1024)}`), "32 kB"],
])("%s is not read", (_, text, problem) => {
  expect(readFrontmatter(text)).toMatchObject({ kind: "broken", problem: expect.stringContaining(problem) });
});

test.each([
  ["plain, with a comment", ["description: old # keep"], "new", ["description: new # keep"]],
  ["plain that needs quotes", ["description: old"], "a: b # c", ['description: "a: b # c"']],
  ["single quotes", ["description: 'it''s' # keep"], "it's new", ["description: 'it''s new' # keep"]],
  ["double quotes", ['description: "old"'], 'say "x"', ['description: "say \\"x\\""']],
  ["several plain lines", ["description: old", "  and more"], "new", ["description: new"]],
  [
    "a folded block, its comment and the blank line below",
    ["description: >- # keep", "  old", "  more", ""],
    "new: text",
    ["description: >- # keep", "  new: text", ""],
  ],
  ["a literal block", ["description: |", "  old"], "one\ntwo", ["description: |-", "  one", "  two"]],
  ["nothing", ["description:"], "new", ["description: new"]],
  ["an alias", ["description: *n"], "new", ["description: new"]],
])("a field keeps its style: %s", (_, before, value, after) => {
  const file = (lines: readonly string[]) =>
    block("name: &n a   # spaces and comments", ...lines, "# a comment", "metadata: {x:   'y'}");
  expect(withFrontmatterField(file(before), "description", value)).toBe(file(after));
  const crlf = (lines: readonly string[]) => file(lines).replaceAll("\n", "\r\n");
  expect(withFrontmatterField(crlf(before), "description", value)).toBe(crlf(after));
});

test("a field that is missing or shared is refused", () => {
  expect(() => withFrontmatterField("# Body\n", "description", "x")).toThrow(/no readable field/);
  expect(() => withFrontmatterField(block("name: a"), "description", "x")).toThrow(/no readable field/);
  expect(() => withFrontmatterField(block("description: &d old", "license: *d"), "description", "x")).toThrow(
    /can't be changed by itself/,
  );
});

test("whatever the text and the style, the field reads back and every other byte stays", () => {
  const words = fc.array(
    fc.constantFrom("use", "when:", "#x", "- a", "'", '"', "---", "…", "\u{1F600}", "{", "*a", "\\"),
    {
      minLength: 1,
      maxLength: 40,
    },
  );
  const value = fc.oneof(
    words.map((list) => list.join(" ")),
    words.map((list) => list.join("\n")),
    fc.string({ unit: "binary", maxLength: 60 }),
  );
  const old = fc.constantFrom(
    "old",
    "old # c",
    "'o''ld'  # c",
    '"old"',
    ">-\n  old\n  more",
    "> # c\n  old\n\n  more\n",
    "|+\n    old\n\n",
    "|2\n   old",
    "old\n  more",
    "",
  );
  const above = fc.constantFrom("", "# c\n", "name: a\n", "metadata:\n  k: 'v' # c\n");
  const below = fc.constantFrom("", "\n# c", "\nlicense: MIT # c", "\nextra: { a: b }");
  fc.assert(
    fc.property(value, old, above, below, fc.boolean(), (text, source, head, tail, isCrlf) => {
      const ends = (part: string) => (isCrlf ? part.replaceAll("\n", "\r\n") : part);
      const before = ends(`---\n${head}description: ${source}${tail}\n---\n\n# Body ---\n---\n`);
      const after = withFrontmatterField(before, "description", text);
      const [was, is] = [readFrontmatter(before), readFrontmatter(after)];
      if (was.kind !== "read" || is.kind !== "read") throw new Error("unreadable");
      expect(is.fields).toEqual({ ...was.fields, description: text });
      expect(after.startsWith(before.slice(0, ends(`---\n${head}description:`).length))).toBe(true);
      expect(after.endsWith(ends(`${tail}\n---\n\n# Body ---\n---\n`))).toBe(true);
      if (isCrlf) expect(after.replaceAll("\r\n", "")).not.toContain("\n");
    }),
    { numRuns: 400 },
  );
});
