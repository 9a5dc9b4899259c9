import fc from "fast-check";
import { expect, test } from "vitest";
import { embedData, embeddedBytes } from "./embed-data.ts";
import type { StandaloneData } from "./model.ts";

const app = '<!doctype html><body><div id="app"></div><script type="module">1</script></body>';
const embed = (value: unknown): string =>
  embedData(app, { steps: [value], rollouts: [value], report: value } as unknown as StandaloneData);

/** As a browser does: from the opening tag to the first closing one. */
const readBack = (html: string, id: string): unknown =>
  JSON.parse(html.split(`<script type="application/json" id="${id}">`)[1]?.split("</script")[0] ?? "");

test("any data comes back as it went in, and adds no tag to the page", () => {
  const hostile = fc.constantFrom("</script><script>alert(1)</script>", "<!--", "$&", "$'", "\u2028", "]]>");
  const value = fc.jsonValue({ stringUnit: fc.oneof(hostile, fc.string({ minLength: 1, maxLength: 1 })) });
  fc.assert(
    fc.property(value, (data) => {
      const html = embed(data);
      const written: unknown = JSON.parse(JSON.stringify(data));
      expect(readBack(html, "whetstone-data")).toEqual({ report: written });
      expect(readBack(html, "whetstone-steps")).toEqual([written]);
      expect(readBack(html, "whetstone-rollouts")).toEqual([written]);
      expect(html.match(/<script/g)).toHaveLength(4);
      expect(html.match(/<!--/g)).toBeNull();
    }),
  );
});

test("what data takes is known before it is embedded", () => {
  const data = { a: "<ü>" };
  const added = Buffer.byteLength(embed(data)) - Buffer.byteLength(embed(0));
  expect(3 * (embeddedBytes(data) - embeddedBytes(0))).toBe(added);
});
