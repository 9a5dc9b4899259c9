import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answersFile, fixtureOf, nameOf, questionsFor, readCorpus } from "./corpus.ts";

// node test/support/powers/read-answers.ts <folder>: puts the replies <n>.txt to the questions <n>.json into the fixtures
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder with the answers.");
const questions = await questionsFor(readCorpus().map(({ text }) => text));
const answers = questions.flatMap((request, at) => {
  const path = join(folder, `${at + 1}.txt`);
  if (!existsSync(path)) return [];
  return [{ question: nameOf(request), reply: readFileSync(path, "utf8").trim(), request }];
});
const rows = answers.map(({ question, reply }) => JSON.stringify({ question, reply }));
writeFileSync(answersFile, rows.map((row) => `${row}\n`).join(""));
const [first] = answers;
if (first !== undefined) {
  const { request, reply } = first;
  const recording = { contract: "powers", system: request.system, user: request.messages[0]?.content, reply };
  writeFileSync(fixtureOf("recordings/powers.json"), `${JSON.stringify(recording, null, 2)}\n`);
}
console.log(`${answers.length} of ${questions.length} questions have an answer.`);
