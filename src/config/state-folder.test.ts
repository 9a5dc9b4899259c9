import { expect, test } from "vitest";
import { stateFolder } from "./state-folder.ts";

test.each([
  ["linux", {}, "/home/me/.local/state/whetstone"],
  ["linux", { XDG_STATE_HOME: "/var/me" }, "/var/me/whetstone"],
  // one that depends on the working folder could lie in the project
  ["linux", { XDG_STATE_HOME: "state" }, "/home/me/.local/state/whetstone"],
  ["linux", { WHETSTONE_STATE: "/mnt/state", XDG_STATE_HOME: "/var/me" }, "/mnt/state"],
  ["darwin", {}, "/home/me/Library/Application Support/whetstone"],
  ["win32", { LOCALAPPDATA: "C:\\Users\\me\\Local" }, "C:\\Users\\me\\Local\\whetstone"],
] as const)("on %s with %j", (platform, env, folder) => {
  expect(stateFolder({ env, home: "/home/me", platform })).toBe(folder);
});
