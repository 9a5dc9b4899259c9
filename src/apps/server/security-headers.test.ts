import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { pagePolicy } from "./security-headers.ts";

test("the page's policy names the scripts and styles that stand in it, and no others", () => {
  const script = 'let a = "<b>";\nrun(a)';
  const policy = pagePolicy(
    `<style>p{}</style><script type="module">${script}</script><script type="application/json">{}</script>`,
  );
  const sum = (text: string) => `'sha256-${hash("sha256", text, "base64")}'`;
  expect(policy).toContain("default-src 'none'; ");
  expect(policy).toContain(`script-src ${sum(script)} ${sum("{}")}; style-src-elem ${sum("p{}")}; `);
  expect(pagePolicy("<p>nothing</p>")).toContain("script-src 'none'; style-src-elem 'none'; ");
});
