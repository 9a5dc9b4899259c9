import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { powersPrompt } from "../../../src/core/prompts/powers.ts";
import { responseFormat } from "../../../src/core/prompts/response-format.ts";
import { questionsFor, readCorpus } from "./corpus.ts";

// node test/support/powers/write-questions.ts <folder>: what a model is asked of the corpus, without the labels
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder for the questions.");
const format = { response_format: responseFormat(powersPrompt) };
const questions = await questionsFor(readCorpus().map(({ text }) => text));
mkdirSync(folder, { recursive: true });
for (const [at, { system, messages, maxTokens }] of questions.entries())
  writeFileSync(
    join(folder, `${at + 1}.json`),
    `${JSON.stringify({ system, user: messages[0]?.content, maxTokens, ...format }, null, 2)}\n`,
  );
console.log(`${questions.length} questions are in ${folder}.`);
