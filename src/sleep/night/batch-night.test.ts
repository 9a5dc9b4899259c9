import { expect, test } from "vitest";
import { sqliteJournal } from "../../adapters/journals/sqlite/sqlite.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { readLedger } from "../../core/work/ledger.ts";
import { startBatchServer } from "../../../test/support/batch-server.ts";
import { makeSleepProject } from "../../../test/support/commit-project.ts";
import { servedWorld } from "../../../test/support/commit-world.ts";
import { performNight } from "./perform-night.ts";

test("a night in batches that was stopped says which goes on, and the next one pays for nothing again", async () => {
  const stopping = new AbortController();
  await using server = await startBatchServer({
    seed: 1,
    world: servedWorld({ seed: 1, judged: true }),
    batches: {
      delayMs: 100,
      onSubmit: ({ nth }) => void (nth === 2 && setTimeout(() => stopping.abort(), 100)),
    },
  });
  const price = { input: 0.2, output: 1 };
  const project = await makeSleepProject({
    folder: await tempDir(),
    conversations: 6,
    config: {
      target: "batch/openai/small",
      optimizer: "batch/anthropic/large",
      judge: "batch/openai/judge",
      providers: { openai: { baseURL: `${server.url}/v1` }, anthropic: { baseURL: `${server.url}/v1` } },
      prices: { "openai/small": price, "anthropic/large": price, "openai/judge": price },
    },
  });
  const { path: cwd, home, config, journalDir } = project;
  const env = { ANTHROPIC_API_KEY: "sk-scripted" };
  await expect(performNight({ config, cwd, home, env, signal: stopping.signal })).rejects.toMatchObject({
    code: "interrupted",
    message: expect.stringMatching(/batch_2 goes on at its provider/),
  });
  const night = await performNight({ config, cwd, home, env });
  expect([...server.callsByKey.values()].every((times) => times === 1)).toBe(true);

  const journal = await sqliteJournal({ dir: journalDir, readOnly: true });
  const { spent, lost } = await readLedger(journal.read());
  await journal.close();
  expect(lost).toBe(0);
  expect(spent.calls).toBe(server.callCount);
  expect(night.spent).toEqual(spent);
});
