import { expect, test } from "vitest";
import { countLines } from "../../test/support/count-lines.ts";
import { startScriptedServer } from "../testing/index.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { createDemo } from "./demo-world.ts";
import { train } from "./verbs/train.ts";

test("the demo that README shows offers only rules that its world knows to be useful", async () => {
  const seed = 1;
  const demo = createDemo({ seed });
  const { world, skill } = demo;
  using folder = temporaryDirectory("demo");
  await using server = await startScriptedServer({ seed, world, record: false });
  const { best } = await train({ ...demo.config(server.url), journal: folder.path });
  const { useful, useless, harmful, doubled } = countLines(world, skill, best.text);
  expect({ useful, useless, harmful, doubled }).toEqual({ useful: 6, useless: 0, harmful: 0, doubled: 0 });
});
