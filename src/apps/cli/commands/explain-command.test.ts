import { expect, test } from "vitest";
import { capturedIo } from "../../../../test/support/captured-io.ts";
import { errorEntries } from "../../../core/error-entries.ts";
import { WhetstoneError, exitCodes } from "../../../core/errors.ts";
import { reportError } from "../../../show/report-error.ts";
import { explainCommand } from "./explain-command.ts";

function explain(code?: string, json = false): string {
  const { io, text } = capturedIo("/");
  explainCommand(code, json, io);
  return text();
}

test("an entry says what a code means, why, and what to do, within 80 columns", () => {
  for (const [code, entry] of Object.entries(errorEntries)) {
    const text = explain(code);
    const words = text.replaceAll(/\s+/g, " ");
    expect(text).toMatch(new RegExp(`^${code}, exit code \\d+$`, "m"));
    for (const part of Object.values(entry)) expect(words).toContain(part);
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
  }
});

test("without a code all are listed, and with an exit code its own", () => {
  expect(JSON.parse(explain(undefined, true))).toHaveLength(Object.keys(exitCodes).length);
  expect(explain("5").match(/^[\w-]+/gm)).toEqual(["too-many-pending", "replies-unusable"]);
});

test.each([
  ["spendcap", "Did you mean spend-cap?"],
  ["journal", "Did you mean journal-damaged, journal-version, journal-write?"],
  ["qqqqqqqq", "`whetstone explain` lists all codes."],
])("for the unknown code %s near ones are named", (asked, hint) => {
  expect(() => explain(asked)).toThrow(expect.objectContaining({ code: "usage", hint }));
});

test("every error ends with where its entry is, but for a stop that was asked for", () => {
  const { io, text } = capturedIo("/");
  reportError(new WhetstoneError("spend-cap", "Too much.", { hint: "Raise it." }), io, ["train"]);
  reportError(new WhetstoneError("interrupted", "Stopped."), io, ["train"]);
  reportError(new Error("oh"), io, ["train"]);
  expect(
    text()
      .split("\n")
      .filter((line) => line.startsWith("more: ")),
  ).toEqual(["more: whetstone explain spend-cap", "more: whetstone explain failed"]);
});
