import { expect, test } from "vitest";
import { testJournal } from "../../testing/journal-suite.ts";
import { memoryJournal } from "./memory.ts";

testJournal(
  "memory",
  async () => {
    const rows: string[] = [];
    const journal = await memoryJournal({ rows });
    return {
      journal,
      reopen: async () => {
        await journal.close();
        return memoryJournal({ rows });
      },
      end: () => journal.close(),
    };
  },
  { test, expect },
);
