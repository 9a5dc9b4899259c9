import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, hashJson } from "./canonical.ts";
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
