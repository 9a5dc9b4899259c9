import { expect, test } from "vitest";
import { openScreen } from "./screen.ts";

function open(columns = 80) {
  const writes: string[] = [];
  const output = { columns, write: (text: string) => writes.push(text) };
  return { screen: openScreen(output), writes, output };
}

test("a frame is one write, and an equal frame none", () => {
  const { screen, writes } = open();
  screen.show(["one", "two"]);
  screen.show(["one", "two"]);
  screen.show(["one", "three"]);
  expect(writes).toEqual([
    "\u001B[?25lone\u001B[K\ntwo\u001B[K\n\u001B[0J",
    "\r\u001B[2Aone\u001B[K\nthree\u001B[K\n\u001B[0J",
  ]);
});

test("what is printed stands above the drawn lines, in the same write", () => {
  const { screen, writes } = open();
  screen.show(["frame"]);
  screen.print("news");
  expect(writes.at(-1)).toBe("\r\u001B[1A\u001B[0Jnews\nframe\u001B[K\n");
});

test("lines that a narrower window has broken are taken away whole", () => {
  const { screen, writes, output } = open(80);
  screen.show(["x".repeat(80), "short"]);
  output.columns = 30;
  screen.show(["y"]);
  expect(writes.at(-1)).toBe("\r\u001B[4Ay\u001B[K\n\u001B[0J");
});

test("the cursor comes back with the last line, and once", () => {
  const { screen, writes } = open();
  screen.show(["frame"]);
  screen.clear();
  screen.release();
  expect(writes.slice(1)).toEqual(["\u001B[?25h\r\u001B[1A\u001B[0J"]);
  screen.show(["again"]);
  screen.release();
  expect(writes.at(-1)).toBe("\u001B[?25h");
});

test("where nothing was drawn, printing writes no escape sequence", () => {
  const { screen, writes } = open();
  screen.print("plain");
  screen.clear();
  screen.release();
  expect(writes).toEqual(["plain\n"]);
});
