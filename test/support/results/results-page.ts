import type { Json } from "../../../src/ports.ts";
import { proofFiles } from "./proofs.ts";
import type { ProofRecord } from "./record.ts";

/** RESULTS.md: what was run when, then each record by itself. A figure without a source isn't printed: its proof is only listed. */
export function resultsPage(records: ReadonlyMap<string, ProofRecord>): string {
  const printed = [...records].filter(([, { ok }]) => ok);
  const missing = [...proofFiles.keys()].filter((name) => records.get(name)?.ok !== true).toSorted();
  const rows = printed.map(
    ([name, { form, commit, date, seconds }]) =>
      `| [${name}](#${anchorOf(name)}) | ${cell(form)} | ${commit} | ${date} | ${seconds} | yes |`,
  );
  const listed = missing.map(
    (name) => `- ${name}: \`npm run -s proof ${name}\`${records.has(name) ? " (failed)" : ""}`,
  );
  return [
    "# Results of the proofs",
    "",
    "Made by `npm run results` of the files in `proofs/results`; nothing here is written by hand. `npm run records` runs what has no record of",
    "the code as it is now, and `npm run -s proof <name> -- --record` one proof. Shown are results with a commit, a machine, a time and every bar",
    "held. [What you can rely on](../docs/promises.md) says which of them are older than the code.",
    "",
    "| proof | what was run | commit | date | seconds | holds |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
    "## To be measured",
    "",
    ...listed,
    "",
    ...printed.map(([name, record]) => section(name, record)),
  ].join("\n");
}

function section(name: string, record: ProofRecord): string {
  const { command, seed, commit, machine, date, seconds, page } = record;
  const facts = [
    `\`${command}\``,
    ...(seed === null ? [] : [`seed ${shown(seed)}`]),
    `commit ${commit}`,
    machine,
    date,
    `${seconds} s`,
  ];
  return [`## ${name}`, "", facts.join(" · "), "", ...(page ?? printedLines(record)), ""].join("\n");
}

/** Figures, and what was printed; a long print is folded. Figures that are tables themselves are printed, and in the record. */
function printedLines({ figures, lines = [] }: ProofRecord): readonly string[] {
  const rows = Object.entries(figures)
    .filter(([name, value]) => name !== "seed" && JSON.stringify(value).length < longFigure)
    .map(([name, value]) => `| ${name} | ${cell(shown(value))} |`);
  const text = lines.slice(0, mostLines).map((line) => line.trimEnd());
  const rest = lines.length - text.length;
  const block = ["```text", ...text, ...(rest > 0 ? [`… ${rest} more lines in the record`] : []), "```"];
  const fold = ["<details><summary>What it printed</summary>", "", ...block, "", "</details>"];
  return ["| figure | value |", "|---|---|", ...rows, "", ...(lines.length > fewLines ? fold : block)];
}

const longFigure = 400;
const [fewLines, mostLines] = [40, 120];

const shown = (value: Json | undefined): string =>
  typeof value === "number"
    ? value.toLocaleString("en-US", { maximumFractionDigits: 4 })
    : typeof value === "string"
      ? value
      : Array.isArray(value)
        ? value.map(shown).join(", ") || "none"
        : typeof value === "object" && value !== null
          ? Object.entries(value)
              .map(([name, inner]) => `${name} ${shown(inner)}`)
              .join(", ")
          : String(value);

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
/** As GitHub and VitePress make it of a heading. */
const anchorOf = (name: string): string => name.replaceAll(".", "");
