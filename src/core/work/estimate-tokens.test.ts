import fc from "fast-check";
import { expect, test } from "vitest";
import { byteLength } from "./estimate-tokens.ts";

test("bytes are those of UTF-8, whatever the text", () => {
  const encoder = new TextEncoder();
  fc.assert(
    fc.property(
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
      (text) => {
        expect(byteLength(text)).toBe(encoder.encode(text).length);
      },
    ),
  );
  for (const text of ["", "abc", "grüß", "金额", "👍🏽 ok", "\ud800", "\udc00a", "\ud800\ud800\udc00"])
    expect(byteLength(text)).toBe(encoder.encode(text).length);
});
