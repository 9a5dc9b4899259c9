import { join } from "node:path";
import { expect, test } from "vitest";
import { capturedIo } from "../../../../test/support/captured-io.ts";
import { sleepScheduleCommand } from "./sleep-schedule.ts";

test("a whetstone that is installed in the project is not scheduled", async () => {
  // here the package is its own project
  const cwd = join(import.meta.dirname, "../../../..");
  const { io } = capturedIo(cwd);
  const flags = { json: false, given: {}, timer: "cron", yes: true, flags: [] } as const;
  await expect(sleepScheduleCommand(flags, io)).rejects.toMatchObject({
    code: "not-allowed",
    hint: expect.stringContaining("npm install -g whetstone") as string,
  });
});
