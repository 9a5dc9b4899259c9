import { expect, test } from "vitest";
import { measureSample, sampleLines } from "./support/importers/measure-sample.ts";
import { tempDir } from "./support/temp-dir.ts";

const tests = (asserts: string, more = "") =>
  `prompts: ["Answer: {{q}}"]\n${more}tests:\n  - { vars: { q: one }, assert: ${asserts} }\n  - { vars: { q: two }, assert: ${asserts} }\n`;

/** Ten configs of our own, of the kinds that the sampled ones have. */
const invented: Readonly<Record<string, string>> = {
  "contains.yaml": tests("[{ type: contains-any, value: [a, b] }, { type: llm-rubric, value: is short }]"),
  "code.yaml": tests(
    "[{ type: javascript, value: 'output.length < 80' }, { type: python, value: file://long.py }, { type: latency, threshold: 9000 }]",
  ),
  "code-in-lines.yaml": `prompts: ["{{q}}"]
tests:
  - vars: { q: one }
    assert:
      - type: javascript
        value: |
          const found = JSON.parse(output);
          return { pass: found.length > 1, score: 0.5, reason: 'two' };
        threshold: 0.5
`,
  "agent.yaml": tests(
    "[{ type: skill-used, value: x }, { type: 'trajectory:step-count', value: { type: command, pattern: '*x*', min: 1 } }, { type: cost, threshold: 1 }, { type: javascript, value: 'true' }, { type: max-score, value: { threshold: 0.7 } }]",
  ),
  "picture-in-words.yaml": tests(
    "[{ type: is-xml }, { type: llm-rubric, value: a heart, threshold: 0.5 }]",
    'defaultTest: { options: { rubricPrompt: "SVG: {{ output }} Criteria: {{ rubric }}" } }\n',
  ),
  "two-prompts.yaml":
    'prompts: ["What is {{topic}}?", "And {{question}}?"]\ntests:\n  - { vars: { topic: rain }, assert: [{ type: icontains, value: water }] }\n',
  "table.yaml": "prompts: ['{{q}}']\ntests: file://table.csv\n",
  "nothing-asserted.yaml": "prompts: ['{{q}}']\ntests: [{ vars: { q: one } }]\n",
  "similar.yaml": tests("[{ type: similar, value: one, threshold: 0.8 }]"),
  "pictures.yaml": tests("[{ type: contains, value: cat }]", "description: looks at cat.jpg\n"),
};
const files = {
  ...invented,
  "long.py": "def get_assert(output, context):\n    return len(output) > 3\n",
  "table.csv": "q,__expected\none,contains: 1\ntwo,javascript: output > 1\n",
};

test("configs of the sampled kinds are imported whole, and what isn't counted is named", async () => {
  const sample = await measureSample(await tempDir(files), Object.keys(invented));
  expect(sample.configs.map(({ path, kind, tasks, valid }) => [path, kind, tasks, valid])).toEqual([
    ["contains.yaml", "whole", 2, 2],
    ["code.yaml", "whole", 2, 2],
    ["code-in-lines.yaml", "whole", 1, 1],
    ["agent.yaml", "whole", 2, 2],
    ["picture-in-words.yaml", "whole", 2, 2],
    ["two-prompts.yaml", "whole", 2, 2],
    ["table.yaml", "whole", 2, 2],
    ["nothing-asserted.yaml", "no asserts", 0, 0],
    ["similar.yaml", "similar", 2, 0],
    ["pictures.yaml", "pictures", 2, 2],
  ]);
  expect([sample.whole, sample.valid, sample.isReached]).toEqual([
    { share: 1, count: 7, of: 7 },
    { share: 1, count: 13, of: 13 },
    true,
  ]);
});

test("what is lost or left aside counts against the bars, with its reason", async () => {
  const lost = {
    "lost.yaml": tests("[{ type: moderation }, { type: contains, value: a }]"),
    "aside.yaml": tests("[{ type: select-best, value: nice }, { type: contains, value: a }]"),
    "elsewhere.yaml": `defaultTest:\n  assert:\n    - { type: contains, value: a }\ntests: huggingface://datasets/x\n`,
  };
  const sample = await measureSample(await tempDir(lost), [...Object.keys(lost), "gone.yaml"]);
  expect(sample.isReached).toBe(false);
  expect(sample.whole).toMatchObject({ count: 0, of: 3 });
  expect(sample.valid).toMatchObject({ count: 2, of: 4 });
  const lines = sampleLines(sample).join("\n");
  expect(lines).toContain("lost.yaml (in part)\n  moderation");
  expect(lines).toContain("aside.yaml (in part)\n  select-best is left aside");
  expect(lines).toContain("huggingface://datasets/x isn't on this machine");
  expect(lines).toContain("gone.yaml (missing)");
  expect(lines).toMatch(/Imported whole: 0 of 3, 0\.0% \(bar 85%\)/);
});
