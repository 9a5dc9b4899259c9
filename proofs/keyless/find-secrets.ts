import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteJournal } from "../../src/ports.ts";
import { filesIn } from "../../test/support/look-at-folder.ts";

/** The files that hold a secret, as it stands or in base64. */
export function filesWith(secrets: readonly string[], folder: string): readonly string[] {
  const forms = secrets.flatMap((secret) => [secret, ...base64Forms(secret)]);
  return filesIn(folder).filter((path) => {
    const bytes = readFileSync(join(folder, path), "latin1");
    return forms.some((form) => bytes.includes(form));
  });
}

/** Inside a longer text a secret begins at any of three places of a group. */
const base64Forms = (secret: string): readonly string[] =>
  [0, 1, 2].map((before) =>
    Buffer.from(`${"x".repeat(before)}${secret}`)
      .toString("base64")
      .slice(before + 1, -4),
  );

/** Entries of a journal, and how many of them hold a secret: what a file might hide by its coding is seen here. */
export async function entriesWith(secrets: readonly string[], journalDir: string) {
  const journal = await sqliteJournal({ dir: journalDir, readOnly: true });
  let [entries, withSecret] = [0, 0];
  try {
    for await (const entry of journal.read()) {
      entries += 1;
      const text = JSON.stringify(entry);
      if (secrets.some((secret) => text.includes(secret))) withSecret += 1;
    }
  } finally {
    await journal.close();
  }
  return { entries, withSecret };
}
