import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { openPlace } from "./place.ts";

test("conversations and memories in the project's own folder aren't the person's", async () => {
  const cwd = await tempDir({ ".cfg/x": "" });
  const open = (place: string) => openPlace({ config: { sleep: { places: { "claude-code": place } } }, cwd });
  const linked = join(await tempDir(), "linked");
  symlinkSync(cwd, linked);
  symlinkSync("/tmp", join(cwd, "out"));
  for (const place of [".cfg", `${cwd}/.cfg`, ".", `${linked}/.cfg`, "out"])
    expect(() => open(place)).toThrow("anybody who writes to the project could forge");
  expect(open("/home/ada/.claude").settings.places).toEqual({ "claude-code": "/home/ada/.claude" });
});
