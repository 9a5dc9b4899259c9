import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { findStrayChange } from "../../../test/support/tidy/check-bytes.ts";
import { drawEdit } from "../../../test/support/tidy/draw-edits.ts";
import { newFindings } from "../../../test/support/tidy/lint-markdown.ts";
import { markdownFiles } from "../../../test/support/tidy/markdown-files.ts";
import { seededRandom } from "../random.ts";
import { applyEdit } from "./apply-edits.ts";
import type { Edit } from "./edit.ts";
import { mainText, singleFileSkill } from "./skill.ts";

const claim =
  "Random edits of real Markdown files add no linter findings, change nothing when repeated, and touch no byte elsewhere.";

longTest(claim, tidy);

async function tidy({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 16);
  const sequences = numberOption(args, "sequences", short ? 400 : 20_000);
  const files = markdownFiles();
  const statuses: Record<string, number> = {};
  const problems: string[] = [];
  for (let nth = 0; nth < sequences; nth += 1) {
    const random = seededRandom("tidy", seed, nth);
    const { path, text } = files[Math.floor(random() * files.length)] ?? { path: "", text: "" };
    const start = dress(text, random);
    const report = (problem: string) => problems.push(`${nth} ${path}: ${problem}`);
    // edits drawn from the first text meet what the others before them have made of it
    const isComposed = random() < 0.5;
    const applied: Edit[] = [];
    let current = start;
    for (let step = 1 + Math.floor(random() * 8); step > 0; step -= 1) {
      const edit = drawEdit(isComposed ? start : current, random);
      const once = apply(current, edit);
      statuses[once.status] = (statuses[once.status] ?? 0) + 1;
      if (once.text === current) continue;
      applied.push(edit);
      const twice = apply(once.text, edit);
      if (twice.text !== once.text)
        report(`${JSON.stringify(edit)} changes something again: ${twice.status}`);
      const stray = findStrayChange(edit, current, once.text);
      if (stray !== undefined) report(`${JSON.stringify(edit)}: ${stray}`);
      current = once.text;
    }
    // whoever renames or deletes a heading may make one of two sections, of their subsections and of their lists
    const isMoved = applied.some(
      ({ op, target = "" }) => /replace|delete/.test(op) && /^(?:#|=+$|-+$)/m.test(target),
    );
    for (const finding of newFindings(start, current).filter(
      (each) => !isMoved || !/^MD0(?:05|24)/.test(each),
    ))
      report(`${finding}: ${JSON.stringify(applied)}`);
    if (nth % Math.ceil(sequences / 3) === 0) show(start, applied, log);
  }
  for (const problem of problems.slice(0, 20)) log(problem);
  const edits = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  return {
    ok: problems.length === 0 && sequences >= 400 && files.length >= 100,
    figures: { seed, files: files.length, sequences, edits, problems: problems.length, statuses },
  };
}

function apply(text: string, edit: Edit): { readonly status: string; readonly text: string } {
  const { skill, report } = applyEdit(singleFileSkill(text), edit);
  return { status: report.status, text: mainText(skill) };
}

/** Some files get Windows' line ends, some a region that nobody may touch. */
function dress(text: string, random: () => number): string {
  const region = "<!-- whetstone:learned:start -->\n- Say the total first.\n<!-- whetstone:learned:end -->";
  const clean = text.replaceAll("\r\n", "\n");
  const dressed = random() < 0.15 ? `${clean.trimEnd()}\n\n${region}\n` : clean;
  return random() < 0.15 ? dressed.replaceAll("\n", "\r\n") : dressed;
}

/** The last lines before and after, for a person to read. */
function show(start: string, edits: readonly Edit[], log: ProofOptions["log"]): void {
  const after = edits.reduce((text, edit) => apply(text, edit).text, start);
  log(["--- before", start.slice(-600), "--- after", after.slice(-1200)].join("\n"));
}
