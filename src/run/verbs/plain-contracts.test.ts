import { expect, test } from "vitest";
import { openOffice } from "../../../test/support/office-config.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { train } from "./train.ts";

test("a training in plain lines asks its analysts and nobody else of the optimizer", async () => {
  const { server, options } = await openOffice();
  const result = await train({
    ...options,
    journal: await tempDir(),
    contracts: "plain",
    gate: "strict",
    baselines: false,
  });
  expect(result.steps.length).toBeGreaterThan(0);
  const asked = server.calls.flatMap(({ request }) => /Contract: (\w+)/.exec(request.system)?.[1] ?? []);
  expect(new Set(asked)).toEqual(new Set(["analyst_error"]));
});
