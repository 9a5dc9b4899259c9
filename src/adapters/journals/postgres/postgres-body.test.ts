import fc from "fast-check";
import { expect, test } from "vitest";
import { hashText } from "../../../core/canonical.ts";
import { packBody, unpackBody } from "./postgres-body.ts";

test("any body comes back as it was, packed or plain", async () => {
  // hashes hardly compress
  const anyBody = fc
    .tuple(fc.object(), fc.string({ unit: "binary" }), fc.nat(25))
    .map(([value, text, size]) =>
      JSON.stringify({
        value,
        text,
        filler: Array.from({ length: size }, (_, at) => hashText(`${at} ${text}`)),
      }),
    );
  const seen = { plain: 0, packed: 0 };
  await fc.assert(
    fc.asyncProperty(anyBody, async (text) => {
      const packed = await packBody(text);
      seen[packed.toString() === text ? "plain" : "packed"] += 1;
      expect(await unpackBody(packed)).toBe(text);
    }),
    { numRuns: 200, seed: 7 },
  );
  expect(Math.min(seen.plain, seen.packed)).toBeGreaterThan(20);
});

test("a body that repeats itself takes little room", async () => {
  const text = JSON.stringify({ transcript: "The parcel was sent on Monday. ".repeat(20_000) });
  expect((await packBody(text)).length).toBeLessThan(300);
});

test("a body that was cut or is none is not taken for one", async () => {
  const packed = await packBody(JSON.stringify({ list: Array.from({ length: 4000 }, (_, at) => at ** 3) }));
  expect(await unpackBody(packed.subarray(0, -9))).toBe(undefined);
  expect(await unpackBody(Buffer.from("no frame"))).toBe(undefined);
});
