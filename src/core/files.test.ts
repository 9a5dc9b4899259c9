import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeFile, encodeFile, isBinary } from "./files.ts";

test("bytes come back as they were, whatever they are", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(decodeFile(encodeFile(bytes))).toEqual(new Uint8Array(bytes));
    }),
  );
});

test("text stays readable, a byte order mark and all", () => {
  const bytes = new TextEncoder().encode("\uFEFFgrüß dich\n");
  expect(encodeFile(bytes)).toBe("\uFEFFgrüß dich\n");
});

test("a text that looks encoded is encoded too", () => {
  const text = "data:application/octet-stream;base64,AAAA";
  const encoded = encodeFile(new TextEncoder().encode(text));
  expect(isBinary(encoded)).toBe(true);
  expect(new TextDecoder().decode(decodeFile(encoded))).toBe(text);
});
