// Spreadsheets, in the shape of SpreadsheetBench: an agent works on a workbook in its folder, and a program looks at the
// cells that it left. A workbook is text here; an .xlsx goes into `files` as base64 and into a grader with openpyxl.
import { learn, toyAgent, toyOptimizer } from "./toy-models.ts";

/** 1200.5 as German bookkeepers write it: 1.200,50 */
const german = (cents: number): string => {
  const [whole = "", rest = ""] = (cents / 100).toFixed(2).split(".");
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, ".")},${rest}`;
};

/** Runs on a copy of the folder, from one of its own: it passes with exit code 0, and the agent never sees it. */
const grader = (total: number): string => `
import { readFileSync } from "node:fs";
const sum = Number(readFileSync("sum.txt", "utf8"));
if (Math.abs(sum - ${total}) > 0.005) { console.error("the sum is not that of the column"); process.exit(1); }
`;

const rows = Array.from({ length: 32 }, (_, at) => {
  const cents = [1, 2, 3].map((row) => ((at + 1) * row * 7919) % 400_000);
  const lines = cents.map((amount, row) => `A-${at}-${row};${german(amount)}`);
  return {
    id: `sheet-${at}`,
    input: `Write the sum of the column "amount" of orders.csv into sum.txt, as a number with a point (workbook ${at}).`,
    files: { "orders.csv": `order;amount\n${lines.join("\n")}\n` },
    checks: [
      {
        kind: "command",
        value: {
          run: 'node "$GRADER/grade.mjs"',
          files: { "grade.mjs": grader(cents.reduce((all, one) => all + one, 0) / 100) },
        },
      },
    ],
  };
});

await learn({
  skill: {
    main: "SKILL.md",
    files: {
      "SKILL.md":
        "---\nname: workbooks\ndescription: Use when working on a spreadsheet.\n---\n\n# Workbooks\n\n- Write what was asked for, and nothing beside it.\n",
    },
  },
  tasks: { train: rows.slice(0, 8), val: rows.slice(8, 24), test: rows.slice(24) },
  ...toyAgent,
  optimizer: toyOptimizer([
    "Amounts have a comma before the cents and points between thousands: read 1.200,50 as 1200.50.",
  ]),
});
