import type { ProofRecord } from "./record.ts";

const marker = /<!-- figure: (\S+)( %)? -->([^<]*)<!-- \/figure -->/g;

/**
 * A page with its figures as the records have them. `<!-- figure: postgres.medianMs -->0.24<!-- /figure -->` is the figure `medianMs` of
 * `proofs/results/postgres.json`; ` %` after the name shows a share as a percentage.
 */
export function fillFigures(page: string, records: ReadonlyMap<string, ProofRecord>): string {
  return page.replace(marker, (_, path: string, percent: string | undefined) => {
    const at = path.lastIndexOf(".");
    const record = records.get(path.slice(0, at));
    if (record?.ok === false) throw new Error(`The record of ${path} does not hold.`);
    const value = record?.figures[path.slice(at + 1)];
    if (value === undefined) throw new Error(`No record has the figure ${path}.`);
    const text =
      typeof value !== "number"
        ? typeof value === "string"
          ? value
          : JSON.stringify(value)
        : percent === undefined
          ? value.toLocaleString("en-US", { maximumFractionDigits: 3 })
          : `${(100 * value).toLocaleString("en-US", { maximumFractionDigits: 1 })}%`;
    return `<!-- figure: ${path}${percent ?? ""} -->${text}<!-- /figure -->`;
  });
}
