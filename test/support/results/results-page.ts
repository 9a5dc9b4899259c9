import type { Json } from "../../../src/ports.ts";
import type { ProofRecord } from "./record.ts";

/** RESULTS.md: what was run when, then each record by itself. */
export function resultsPage(records: ReadonlyMap<string, ProofRecord>): string {
  const rows = [...records].map(([name, record]) => {
    const { form, commit, date, seconds, ok } = record;
    return `| [${name}](#${anchorOf(name)}) | ${cell(form)} | ${commit ?? "not noted"} | ${date} | ${seconds ?? "not noted"} | ${ok === null ? "not noted" : ok ? "yes" : "no"} |`;
  });
  const parts = [...records].map(([name, record]) => section(name, record));
  return [
    "# Results of the proofs",
    "",
    "Made by `npm run results` of the files in `proofs/results`; nothing here is written by hand. `npm run -s proof <name> -- --record` runs a",
    "proof and writes its file. Where a commit, a machine or a time is not noted, the figure was carried over from a page that was written by hand,",
    "and its date is the day on which it was written there.",
    "",
    "| proof | what was run | commit | date | seconds | holds |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
    ...parts,
  ].join("\n");
}

function section(name: string, record: ProofRecord): string {
  const { command, seed, commit, noted, machine, date, seconds, ok, page } = record;
  const facts = [
    `\`${command}\``,
    ...(seed === null ? [] : [`seed ${shown(seed)}`]),
    commit === null ? "commit not noted" : `commit ${commit}`,
    machine ?? "machine not noted",
    date,
    ...(seconds === null ? [] : [`${seconds} s`]),
    ...(noted === undefined ? [] : [noted]),
    ...(ok === false ? ["**does not hold**"] : []),
  ];
  return [`## ${name}`, "", facts.join(" · "), "", ...(page ?? printed(record)), ""].join("\n");
}

/** Figures, and what was printed; a long print is folded. Figures that are tables themselves are printed, and in the record. */
function printed({ figures, lines = [] }: ProofRecord): readonly string[] {
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
