import fc from "fast-check";
import { expect, test } from "vitest";
import { hashText } from "../../../core/canonical.ts";
import { packBody, unpackBody } from "./postgres-body.ts";

const noBlob = async () => undefined;

test("any body comes back as it was, from its row or from under its hash", async () => {
  // hashes hardly compress, so that some bodies stay large
  const anyBody = fc
    .tuple(fc.object(), fc.string({ unit: "binary" }), fc.nat(200))
    .map(([value, text, size]) =>
      JSON.stringify({
        value,
        text,
        filler: Array.from({ length: size }, (_, at) => hashText(`${at} ${text}`)),
      }),
    );
  const seen = { inRow: 0, underHash: 0 };
  await fc.assert(
    fc.asyncProperty(anyBody, async (text) => {
      const { bytes, blob, blobBytes } = await packBody(text);
      seen[blob === null ? "inRow" : "underHash"] += 1;
      expect(bytes?.length ?? 0).toBeLessThanOrEqual(1800);
      expect(await unpackBody({ bytes, blob }, async () => blobBytes)).toBe(text);
    }),
    { numRuns: 200, seed: 7 },
  );
  expect(Math.min(seen.inRow, seen.underHash)).toBeGreaterThan(20);
});

test("what repeats itself takes little room, and the same text has the same hash", async () => {
  const text = JSON.stringify({ transcript: "The parcel was sent on Monday. ".repeat(20_000) });
  const packed = await packBody(text);
  expect(packed.bytes?.length).toBeLessThan(300);
  const random = JSON.stringify({ transcript: Array.from({ length: 4000 }, (_, at) => at ** 5).join() });
  expect((await packBody(random)).blob).toEqual((await packBody(random)).blob);
});

test("a blob that is missing, cut or another one is not taken for the body", async () => {
  const [one, other] = await Promise.all(
    [3, 5].map((power) =>
      packBody(JSON.stringify({ list: Array.from({ length: 4000 }, (_, at) => at ** power) })),
    ),
  );
  const { blob, blobBytes } = one!;
  expect(blob).not.toBe(null);
  expect(await unpackBody({ bytes: null, blob }, noBlob)).toBe(undefined);
  expect(await unpackBody({ bytes: null, blob }, async () => blobBytes!.subarray(0, -9))).toBe(undefined);
  expect(await unpackBody({ bytes: null, blob }, async () => other!.blobBytes)).toBe(undefined);
  expect(await unpackBody({ bytes: null, blob: null }, noBlob)).toBe(undefined);
});
