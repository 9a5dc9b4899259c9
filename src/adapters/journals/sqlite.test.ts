import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testJournal } from "../../testing/journal-suite.ts";
import { sqliteJournal } from "./sqlite.ts";

testJournal(
  "sqlite",
  async () => {
    const dir = mkdtempSync(join(tmpdir(), "whetstone-journal-"));
    const opened = [await sqliteJournal({ dir })];
    const open = async () => {
      const journal = await sqliteJournal({ dir });
      opened.push(journal);
      return journal;
    };
    return {
      journal: opened[0]!,
      reopen: async () => {
        await opened[0]!.close();
        return open();
      },
      second: open,
      end: async () => {
        for (const journal of opened) await journal.close();
        rmSync(dir, { recursive: true });
      },
    };
  },
  { test, expect },
);
