#!/usr/bin/env node
import { createRequire } from "node:module";

// An older Node stops at the first import that it doesn't know, so nothing is imported before this check.
const { engines, version } = createRequire(import.meta.url)("whetstone/package.json") as {
  engines: { node: string };
  version: string;
};
const { node } = process.versions;
const oldest = engines.node.replace(">=", "");
if (node.localeCompare(oldest, "en", { numeric: true }) >= 0) {
  const isServing = process.argv.length === 3 && process.argv[2] === "mcp" && !process.stdin.isTTY;
  const isThere = !isServing || (await (await import("../mcp/first-answers.ts")).answerFirst(version));
  if (isThere) await import("./main.ts");
} else {
  console.error(
    `error node-too-old: whetstone needs Node ${oldest} or newer, and this is ${node}. Install the current one from nodejs.org.`,
  );
  process.exitCode = 1;
}
