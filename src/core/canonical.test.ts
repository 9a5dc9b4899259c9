import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, hashJson, writeOnce } from "./canonical.ts";
import type { Json } from "./json.ts";

test("the order of keys does not matter", () => {
  expect(canonicalJson({ b: 1, a: [true, null, "x"] })).toBe('{"a":[true,null,"x"],"b":1}');
  expect(hashJson({ b: 1, a: 2 })).toBe(hashJson({ a: 2, b: 1 }));
});

test("it is JSON, and says the same", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const back = JSON.parse(canonicalJson(value)) as Json;
      expect(canonicalJson(back)).toBe(canonicalJson(value));
      expect(back).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("what is not JSON is refused", () => {
  expect(() => canonicalJson(Number.NaN)).toThrow(TypeError);
});

test("what is written once gives the same text wherever it is, and is read once", () => {
  let reads = 0;
  const skill = {
    get text() {
      reads += 1;
      return "a";
    },
  };
  writeOnce(skill);
  expect(canonicalJson([{ b: skill, a: 1 }, skill])).toBe('[{"a":1,"b":{"text":"a"}},{"text":"a"}]');
  expect(hashJson({ skill: writeOnce(skill) })).toBe(hashJson({ skill: { text: "a" } }));
  expect(reads).toBe(1);
});
