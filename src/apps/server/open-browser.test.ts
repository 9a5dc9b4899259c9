import { expect, test } from "vitest";
import { hasDisplay } from "./open-browser.ts";

test("a browser is opened only where somebody can see it", () => {
  expect(hasDisplay("linux", {})).toBe(false);
  expect(hasDisplay("linux", { DISPLAY: ":0" })).toBe(true);
  expect(hasDisplay("linux", { WAYLAND_DISPLAY: "wayland-0" })).toBe(true);
  expect(hasDisplay("darwin", {})).toBe(true);
  expect(hasDisplay("darwin", { SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" })).toBe(false);
});
