// An agent that needs no model: it reads its skills, does what they say, and leaves its work in the folder.
// Any agent takes its place: claude-code/<model>, codex/<model>, …
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";

const folder = process.env.SKILLS ?? "";
const skills = existsSync(folder)
  ? readdirSync(folder).map((name) => readFileSync(`${folder}/${name}/SKILL.md`, "utf8"))
  : [];
const rules = skills.join("\n");

if (existsSync("orders.csv")) {
  // what a cell holds: 1.200,50 is a German number, and a sum needs one
  const isGerman = /comma/i.test(rules);
  const cells = readFileSync("orders.csv", "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(";")[1] ?? "");
  const value = (cell) => Number.parseFloat(isGerman ? cell.replaceAll(".", "").replace(",", ".") : cell);
  const sum = cells.reduce((all, cell) => all + value(cell), 0);
  writeFileSync("sum.txt", `${sum.toFixed(2)}\n`);
}
for (const file of existsSync("src") ? readdirSync("src").filter((name) => name.endsWith(".js")) : []) {
  const text = readFileSync(`src/${file}`, "utf8");
  // the obvious repair, and the one that keeps to the house rule
  const money = /cents/i.test(rules) ? "Math.round(price * 100 * rate) / 100" : "price * rate";
  writeFileSync(`src/${file}`, text.replace("TODO", money));
}
console.log("Done.");
