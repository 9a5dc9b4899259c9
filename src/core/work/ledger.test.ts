import { expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { readLedger } from "./ledger.ts";
import type { Entry, EntryKind } from "../ports/journal.ts";

async function* entries(
  ...rows: readonly (readonly [EntryKind, string, JsonObject])[]
): AsyncIterable<Entry> {
  for (const [at, [kind, key, body]] of rows.entries())
    yield { seq: at + 1, kind, run: "r", key, name: "", body };
}

const cost = (nanoUsd: number) => ({ nanoUsd, tokens: nanoUsd, calls: 1 });
const intent = (key: string) => ["intent", key, { worst: cost(100) }] as const;
const end = (kind: EntryKind, key: string, nanoUsd: number) => [kind, key, { cost: cost(nanoUsd) }] as const;

test("results, duplicates and failures are booked at what they cost", async () => {
  const ledger = await readLedger(
    entries(
      intent("a"),
      intent("b"),
      end("result", "a", 10),
      intent("c"),
      end("duplicate", "b", 7),
      end("failure", "c", 0),
    ),
  );
  expect(ledger).toEqual({
    spent: { nanoUsd: 17, tokens: 17, calls: 3 },
    results: 1,
    lost: 0,
  });
});

test("a call without a known end is booked at worst case, also when a later try ended", async () => {
  const ledger = await readLedger(entries(intent("a"), intent("a"), end("result", "a", 10), intent("b")));
  expect(ledger).toMatchObject({ spent: { nanoUsd: 210, tokens: 210, calls: 3 }, results: 1, lost: 2 });
});
