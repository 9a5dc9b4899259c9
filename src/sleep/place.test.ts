import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { openPlace } from "./place.ts";

test("conversations and memories in the project's own folder aren't the person's", async () => {
  const cwd = await tempDir({ ".cfg/x": "" });
  const open = (place: string) => openPlace({ config: { sleep: { places: { "claude-code": place } } }, cwd });
  for (const place of [".cfg", `${cwd}/.cfg`, "."])
    expect(() => open(place)).toThrow("anybody who writes to the project could forge");
  expect(open("/home/ada/.claude").settings.places).toEqual({ "claude-code": "/home/ada/.claude" });
});
