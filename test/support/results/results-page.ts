import type { Json } from "../../../src/ports.ts";
import type { ProofRecord } from "./record.ts";

/** RESULTS.md: what was run when, then each record by itself. Figures of a record without a commit are nobody's: it is only listed. */
export function resultsPage(records: ReadonlyMap<string, ProofRecord>): string {
  const signed = [...records].filter(([, { commit }]) => commit !== null);
  const unsigned = [...records].filter(([, { commit }]) => commit === null);
  const rows = signed.map(([name, { form, commit, date, seconds, ok }]) => {
    const holds = ok === null ? "not noted" : ok ? "yes" : "no";
    return `| [${name}](#${anchorOf(name)}) | ${cell(form)} | ${commit} | ${date} | ${seconds ?? "not noted"} | ${holds} |`;
  });
  const parts = signed.map(([name, record]) => section(name, record));
  return [
    "# Results of the proofs",
    "",
    "Made by `npm run results` of the files in `proofs/results`; nothing here is written by hand. `npm run -s proof <name> -- --record` runs a",
    "proof and writes its file. Only results with a commit are shown. Where a machine or a time is not noted, the result was carried over from a",
    "page that was written by hand, and its date is the day on which it was written there.",
    "",
    "| proof | what was run | commit | date | seconds | holds |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
    ...(unsigned.length === 0 ? [] : ["## To be measured", "", toMeasure, "", ...unsigned.map(listed), ""]),
    ...parts,
  ].join("\n");
}

const toMeasure = "These were run before commits were recorded, so their figures aren't shown:";

const listed = ([name, { command }]: readonly [string, ProofRecord]): string => `- ${name}: \`${command}\``;

function section(name: string, record: ProofRecord): string {
  const { command, seed, commit, noted, machine, date, seconds, ok, page } = record;
  const facts = [
    `\`${command}\``,
    ...(seed === null ? [] : [`seed ${shown(seed)}`]),
    `commit ${commit}`,
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
