import fc from "fast-check";
import { expect, test } from "vitest";
import { patternLiterals, patternText } from "./pattern-text.ts";

const words = (source: string) => patternText(source).trim().replaceAll(/\s+/g, " ");

test.each([
  ["(?i)not\\s+exists|left\\s+join[\\s\\S]*is\\s+null", "not exists left join is null"],
  ["parameteri[sz]ed", "parameterised"],
  ["(?:a|b)(?=c)(?<name>d){2,3}", "a b c d"],
  ["round\\(x\\.y\\)", "round(x.y)"],
  ["[", ""],
  ["\\", ""],
  ["{", ""],
])("%j spells %j", (source, expected) => {
  expect(words(source)).toBe(expected);
});

test.each<[string, readonly string[]]>([
  ["^SEV1\\b", ["SEV1"]],
  ["(?i)swallow|ignored? silently", ["swallow"]],
  ["a\\s+b|c\\.d", ["a b", "c.d"]],
  ["^(a|b)$", []],
  ["^\\d+$", []],
])("the literals of %j are %j", (source, expected) => {
  expect(patternLiterals(source)).toEqual(expected);
});

const marks = "a b \\ [ ] ( ) { } ? * + | ^ $ . < :".split(" ");

test("no source makes them throw or hang", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...marks) }), (source) => {
      expect(patternText(source).length).toBeLessThanOrEqual(source.length + 1);
      expect(patternLiterals(source)).toBeInstanceOf(Array);
    }),
  );
});
