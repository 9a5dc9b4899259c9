// npm run sample -- <checkout>: how many of the sampled configs of a promptfoo checkout are imported whole. Needs a clone of
// github.com/promptfoo/promptfoo; nothing of it is copied, and none of its code runs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { measureSample, sampleLines } from "./measure-sample.ts";

const [checkout, list = join(import.meta.dirname, "promptfoo-sample.txt")] = process.argv.slice(2);
if (checkout === undefined) {
  console.error("Usage: npm run sample -- <checkout of promptfoo> [list of configs]");
  process.exit(2);
}
const sample = await measureSample(checkout, readFileSync(list, "utf8").trim().split("\n"));
console.log(sampleLines(sample).join("\n"));
process.exitCode = sample.isReached ? 0 : 1;
