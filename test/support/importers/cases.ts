/** One documented shape in a small file of our own, and what must be understood of it. */
export interface ImportCase {
  readonly name: string;
  /** The first one is imported. */
  readonly files: Readonly<Record<string, string>>;
  readonly format: string;
  readonly tasks: number;
  /** What must be named as not understood and makes its task invalid, in this order. */
  readonly invalid: readonly RegExp[];
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const lines = (...rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

export const importCases: readonly ImportCase[] = [
  {
    name: "evals.json, expectations",
    files: {
      "skill/evals/evals.json": json({
        skill_name: "skill",
        evals: [
          {
            id: 1,
            prompt: "Fill in form.txt",
            expected_output: "A filled form",
            files: ["evals/files/form.txt"],
            expectations: ["The name is filled in", "The date is left open"],
          },
          {
            id: 2,
            prompt: "Explain the form",
            expected_output: "Two sentences",
            files: [],
            expectations: [],
          },
        ],
      }),
      "skill/evals/files/form.txt": "Name: ____\n",
    },
    format: "evals-json",
    tasks: 2,
    invalid: [],
  },
  {
    name: "evals.json, assertions",
    files: {
      "skill/evals/evals.json": json({
        skill_name: "skill",
        evals: [
          {
            id: "top-three",
            prompt: "Which three months sold most?",
            expected_output: "Three months",
            assertions: [
              "Exactly three months are named",
              { name: "chart", type: "contains", value: "chart" },
            ],
          },
          {
            id: "odd",
            prompt: "Clean this table",
            assertions: [{ name: "x", type: "pixel_diff", value: 3 }, { weight: 2 }, 7],
          },
          {
            id: "gone",
            prompt: "Read it",
            expected_output: "A summary",
            files: ["evals/files/missing.csv", "../../outside.txt"],
          },
          { id: "bare", prompt: "Do it" },
        ],
      }),
    },
    format: "evals-json",
    tasks: 4,
    invalid: [
      /pixel-diff, an unknown type/,
      /without "text" and without "type"/,
      /neither a sentence nor an object/,
      /missing\.csv is missing/,
      /outside\.txt is outside/,
      /neither expectations/,
    ],
  },
  {
    name: "trigger set",
    files: {
      "queries.json": json([
        { query: "read this bill", should_trigger: true },
        { query: "write a poem", should_trigger: false },
        { query: "hm", should_trigger: "maybe" },
      ]),
    },
    format: "trigger",
    tasks: 3,
    invalid: [/should_trigger/],
  },
  {
    name: "promptfoo config, deterministic asserts",
    files: {
      "promptfooconfig.yaml": `
prompts: ["Answer shortly: {{q}}", file://formal.txt]
providers: [openai:gpt-5-nano]
defaultTest:
  vars: { tone: calm }
  assert:
    - { type: not-contains, value: sorry }
assertionTemplates:
  short: { type: regex, value: "^.{1,80}$" }
tests:
  - vars: { q: "Capital of France?" }
    assert:
      - { type: equals, value: Paris }
      - { type: icontains, value: paris, weight: 2 }
      - { $ref: "#/assertionTemplates/short" }
  - vars: { q: "Coordinates as JSON", lat: 48.9 }
    threshold: 0.5
    assert:
      - type: is-json
        value: { type: object, required: [lat], properties: { lat: { const: 48.9 } } }
      - { type: contains-json }
      - { type: contains-all, value: [lat, lon] }
      - { type: contains-any, value: "N, E" }
      - { type: starts-with, value: "{" }
  - description: a set
    vars: { q: [red, green] }
    assert:
      - type: assert-set
        threshold: 0.5
        assert:
          - { type: contains, value: "{{q}}" }
          - { type: equals, value: { colour: "{{q}}" } }
      - { type: llm-rubric, value: "Is {{tone}}", threshold: 0.8 }
      - { type: not-llm-rubric, value: Is rude }
      - { type: cost, metric: price, weight: 0 }
`,
      "formal.txt": "Dear model, {{q}}\n---\nEsteemed model, {{q}}\n",
    },
    format: "promptfoo",
    tasks: 12,
    invalid: [],
  },
  {
    name: "promptfoo, what needs clocks, traces or other models",
    files: {
      "promptfooconfig.yaml": `
prompts: ["{{q}}"]
tests:
  - { vars: { q: a }, assert: [{ type: javascript, value: "output.length < 10" }, { type: contains, value: a }] }
  - { vars: { q: b }, assert: [{ type: python, value: "file://check.py" }] }
  - { vars: { q: c }, assert: [{ type: similar, value: c, threshold: 0.8 }] }
  - { vars: { q: d }, assert: [{ type: latency, threshold: 2000 }, { type: cost, threshold: 0.1 }] }
  - { vars: { q: e }, assert: [{ type: skill-used, value: x }] }
  - { vars: { q: f }, threshold: 0.1, assert: [{ type: contains, value: f }, { type: "trajectory:tool-sequence", value: { steps: [x] } }] }
  - { vars: { q: g }, assert: [{ type: assert-set, threshold: 0.1, assert: [{ type: contains, value: g }, { type: webhook, value: "https://example.org" }] }] }
  - { vars: { q: h }, assert: [{ type: contians, value: h }] }
  - { vars: { q: i } }
  - { vars: { q: j }, options: { transform: "output.trim()" }, assert: [{ type: equals, value: j }] }
  - { vars: { q: k }, assert: [{ type: equals, value: k, transform: "output.trim()" }] }
  - { vars: { q: l }, assert: [{ type: contains, value: "{{missing}}" }] }
  - { vars: { q: m }, assert: [{ type: "trajectory:tool-used", value: search }, { type: "trajectory:tool-args-match", value: { name: search, args: { q: m } } }] }
  - file://generate.js
`,
    },
    format: "promptfoo",
    tasks: 13,
    invalid: [
      /code, which isn't run/,
      /check\.py is missing/,
      /^similar$/,
      /no assertion that can be a check/,
      /tool-sequence/,
      /webhook in an assert-set/,
      /contians.*contains/,
      /no assertion/,
      /option "transform"/,
      /equals with "transform"/,
      /\{\{missing\}\}/,
    ],
  },
  {
    name: "promptfoo tests in CSV",
    files: {
      "tests.csv": `question,__expected1,__expected2,__description,__threshold,__metadata:topic,__metadata:tags[]
"What is 2+2?",equals: 4,not-contains: five,sum,,maths,"a,b"
"Colours of the flag?","contains-all: red, white",,flag,0.8,,
"Capital?",Paris,,plain,,,
"Kind words?",grade: is kind,,rubric,,,
"Long?","javascript: output.length < 3",,code,,,
"Near?",similar(0.8): hello,,embedding,,,
"Odd?",frobnicate: x,,odd,,,
`,
    },
    format: "promptfoo",
    tasks: 7,
    invalid: [/^similar$/, /frobnicate/],
  },
  {
    name: "promptfoo tests in JSONL with scenarios elsewhere",
    files: {
      "promptfooconfig.json": json({
        prompts: [
          {
            raw: '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "{{greeting}} in {{language}}?"}]',
            label: "chat",
          },
        ],
        tests: "file://tests.jsonl",
        scenarios: [
          {
            config: [{ vars: { language: "Spanish" } }, { vars: { language: "Greek" } }],
            tests: [
              { vars: { greeting: "Hello" }, assert: [{ type: "icontains-any", value: ["hola", "γεια"] }] },
            ],
          },
        ],
      }),
      "tests.jsonl": lines({
        vars: { greeting: "Bye", language: "French" },
        assert: [{ type: "contains", value: "revoir" }],
      }),
    },
    format: "promptfoo",
    tasks: 3,
    invalid: [],
  },
  {
    name: "our own JSONL",
    files: {
      "tasks.jsonl": lines(
        { id: 1, question: "Largest ocean?", answers: ["Pacific"] },
        { id: 2, input: "Six by seven?", checks: [{ kind: "number", value: { value: 42 } }] },
        { id: 3, input: "?", checks: [{ kind: "frobnicate", value: 1 }] },
      ),
    },
    format: "whetstone",
    tasks: 3,
    invalid: [/unknown kind "frobnicate"/],
  },
  {
    name: "our own JSON",
    files: {
      "tasks.json": json({
        tasks: [
          {
            id: "a",
            input: "Say hi",
            checks: [
              {
                kind: "any",
                value: {
                  checks: [
                    { kind: "contains", value: "hi" },
                    { kind: "frobnicate", value: 1 },
                  ],
                },
              },
            ],
          },
        ],
      }),
    },
    format: "whetstone",
    tasks: 1,
    invalid: [/unknown kind "frobnicate"/],
  },
  {
    name: "a table",
    files: {
      "table.csv": 'id,question,answer,type,room\n1,"Who, if anyone?",nobody,odd,hall\n2,When?,,odd,hall\n',
    },
    format: "csv",
    tasks: 2,
    invalid: [/no answer/],
  },
  {
    name: "a table with semicolons and a list of answers",
    files: { "table.txt": 'input;answers\n"Even primes?";"2|two"\n"First letter?";"[""a"", ""A""]"\n' },
    format: "csv",
    tasks: 2,
    invalid: [],
  },
  {
    name: "OpenAI evals",
    files: {
      "samples.jsonl": lines(
        {
          input: [
            { role: "system", content: "One word." },
            { role: "user", content: "Opposite of hot?" },
          ],
          ideal: "cold",
        },
        { input: "Opposite of up?", ideal: ["down", "downwards"] },
        {
          input: [
            { role: "system", content: "Translate.", name: "example_user" },
            { role: "user", content: "Hund" },
          ],
          ideal: "dog",
        },
        { input: [{ role: "user", content: "Tell a joke about a fruit" }], completion: "…", choice: "Yes" },
        {
          input: [{ role: "user", content: [{ type: "image_url", image_url: { url: "x" } }] }],
          ideal: "a cat",
        },
        { input: [{ role: "assistant", content: "…" }], ideal: "x" },
      ),
    },
    format: "openai-evals",
    tasks: 6,
    invalid: [/a model grades it from completion, choice/, /more than text/, /ends with the assistant/],
  },
  {
    name: "split folder",
    files: {
      "tasks/train/items.json": json([{ id: "a", question: "1?", answers: ["one"] }]),
      "tasks/valid_seen.jsonl": lines({ id: "b", input: "2?", answers: ["two"] }),
      "tasks/test.csv": "question,answer\n3?,three\n",
    },
    format: "csv",
    tasks: 3,
    invalid: [],
  },
];
