import { proofFiles, type Standing, standingOf } from "./proofs.ts";
import type { ProofRecord } from "./record.ts";

/** The table of promises, each with what the records of its proofs say: `shown`, or which of them are not. */
export function markPromises(page: string, records: ReadonlyMap<string, ProofRecord>): string {
  return page.replaceAll(
    /^\| (.+?) \| ((?:`[\w-]+`(?:, )?)+) \|.*$/gm,
    (_, promise: string, proofs: string) => {
      const names = [...proofs.matchAll(/`([\w-]+)`/g)].map(([, name = ""]) => name);
      const by = Map.groupBy(names, (name): Standing => {
        const path = proofFiles.get(name);
        if (path === undefined) throw new Error(`docs/promises.md: no proof is called ${name}.`);
        return standingOf(records.get(name), path);
      });
      const marks = [...by].map(([standing, some]) =>
        some.length === names.length ? standing : `${standing}: ${some.join(", ")}`,
      );
      return `| ${promise} | ${proofs} | ${marks.join("; ")} |`;
    },
  );
}
