import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type PlanOptions, type Range, plan } from "../../src/index.ts";
import { commitNow, machineNow } from "../../test/support/results/record.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";

const root = join(import.meta.dirname, "../..");
/** README shows all parts, other pages some. */
const pages = globSync(["README.md", "docs/*.md"], { cwd: root }).map((path) => join(root, path));

/** The parts of README that a program writes, by name. */
type ReadmeParts = Readonly<Record<"verdict" | "rules" | "prices" | "source", string>>;

/** Writes them into README and docs, from what a demo's run says in the end. */
export async function writeParts(demo: string): Promise<void> {
  const head = ["|what|price|calls|minutes|", "|---|---|---|---|"];
  const prices = [...head, ...(await priceRows("all"))].join("\n");
  const day = new Date().toISOString().slice(0, 10);
  const source = `From the scripted demo at commit ${commitNow()} on ${day} (\`npm run pictures\`). Machine: ${machineNow()}.`;
  const parts = { ...demoParts(demo), prices, source };
  for (const path of pages) {
    const before = readFileSync(path, "utf8");
    const after = fillParts(before, parts);
    if (after !== before) writeFileSync(path, after);
  }
}

/** Names of the parts that README or docs show otherwise. `quick` leaves out plans that take long. */
export async function staleParts(demo: string, which: "all" | "quick"): Promise<readonly string[]> {
  const texts = pages.map((path) => readFileSync(path, "utf8"));
  const parts = Object.entries(demoParts(demo)).filter(([name, part]) =>
    texts.some((text) => fillParts(text, { [name]: part }) !== text),
  );
  const prices = (await priceRows(which)).filter((row) => !texts.some((text) => text.includes(`${row}\n`)));
  return [...parts.map(([name]) => name), ...prices.map((row) => `price ${row}`)];
}

/** Of what a demo's run says in the end: the verdict, and the table of rules. */
function demoParts(demo: string): Pick<ReadmeParts, "verdict" | "rules"> {
  const paragraphs = demo.split("\n\n");
  const table = paragraphs.find((text) => /\bpoints \(\d+% interval\)/.test(text)) ?? "";
  const [head = "", ...rows] = table.split("\n").slice(table.startsWith("rules:") ? 1 : 0);
  const verdict = (paragraphs[0] ?? "").split("\n");
  const isRule = (row: string) => /^ +\d+ /.test(row);
  const rules = rows.filter(isRule);
  const few = [
    head,
    ...rules.slice(0, 2),
    "    …",
    ...rules.slice(-1),
    ...rows.filter((row) => !isRule(row)),
  ];
  return {
    verdict: fence(verdict.slice(0, verdict.findIndex((line) => line.includes("Measured at")) + 1)),
    rules: fence(few.slice(0, -1)),
  };
}

const fence = (lines: readonly string[]): string => ["```text", ...lines, "```"].join("\n");

const skill = `# Help desk\n\n${"Read the message, find what the customer wants, and answer with one label. ".repeat(30)}\n`;
const tasks = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `message-${at + 1}`,
    input: `Message ${at + 1}: ${"the parcel came late and the box was open, what now? ".repeat(4)}`,
    answers: [["REFUND", "REPLACE", "TRACK", "CLOSE"][at % 4] ?? ""],
  }));

interface PricedCase {
  readonly what: string;
  /** Its rehearsals take half a minute. */
  readonly isSlow?: true;
  readonly options: PlanOptions;
}

const [target, optimizer] = ["openai/gpt-5.4-nano", "openai/gpt-5.4"];
const cases: readonly PricedCase[] = [
  {
    what: "a first try: 30 tasks, `--effort quick`",
    options: { tasks: tasks(30), target, optimizer, effort: "quick" },
  },
  {
    what: "a proof: 100 tasks, all defaults",
    options: { tasks: tasks(100), target, optimizer },
    isSlow: true,
  },
  {
    what: "a check in CI: 60 tasks, a skill against its last version",
    options: { tasks: tasks(60), target, verb: "compare", baseline: "LAST.md" },
  },
];

async function priceRows(which: "all" | "quick"): Promise<readonly string[]> {
  using folder = temporaryDirectory("prices");
  writeFileSync(join(folder.path, "SKILL.md"), skill);
  writeFileSync(join(folder.path, "LAST.md"), `${skill}\nAnswer in capitals.\n`);
  const rows: string[] = [];
  for (const { what, options, isSlow } of cases) {
    if (isSlow && which === "quick") continue;
    const { price, calls, time } = await plan({
      ...options,
      cwd: folder.path,
      skill: "SKILL.md",
      spend: { usd: 50 },
    });
    rows.push(`|${what}|${shown(price, usd)}|${shown(calls, String)}|${shown(time, minutes)}|`);
  }
  return rows;
}

function shown({ low, high }: Range, unit: (value: number) => string): string {
  const [from, to] = [unit(low), unit(high)];
  return from === to ? from : `${from}–${to}`;
}

const usd = (nano: number): string => `$${(nano / 1e9).toFixed(2)}`;
const minutes = (ms: number): string => String(Math.max(1, Math.round(ms / 60_000)));

/** A page with these parts between their marks, `<!-- made: name -->` and `<!-- /made -->`, where it has them. */
const fillParts = (page: string, parts: Partial<ReadmeParts>): string =>
  Object.entries(parts).reduce(
    (text, [name, part]) =>
      text.replace(
        new RegExp(`(<!-- made: ${name} -->\n)[^]*?(<!-- /made -->)`),
        (_, begin: string, end: string) => `${begin}${part}\n${end}`,
      ),
    page,
  );
