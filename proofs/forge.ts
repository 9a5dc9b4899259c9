import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeRepository } from "../test/support/repository.ts";
import { editedReports } from "./forge/edited-reports.ts";
import { carefulSkill, carelessSkill, configOf, startModel, taskRows } from "./forge/office.ts";
import { type ForgeCase, pullRequestCases } from "./forge/pull-request-cases.ts";
import { namedOnThePage } from "./forge/named.ts";
import { forgedProposals } from "./forge/proposals.ts";
import { runPr } from "./forge/run-pr.ts";
import type { ProofOptions, ProofResult } from "./proof.ts";
import { builtCli } from "./support/built-cli.ts";

export const claim =
  "No pull request can forge a verdict by committing journals, tasks, checks, config, judge, waivers, endpoints, code or packages. Each such pull request is called worse, as it is, or isn't measured; its code doesn't run, and no key reaches its hosts. Proposals, reports and receipts in the project are never read. `verify` finds every changed figure of a report, a summary or a proposal. docs/ci.md names who can still forge one. An honest journal is used: 0 calls on a second push.";

const skill = "skills/office/SKILL.md";

/** The short form takes every fourth way, and few of the figures. */
export default async function proveForge({ short, log }: ProofOptions): Promise<ProofResult> {
  const cli = builtCli(log);
  const folder = mkdtempSync(join(tmpdir(), "whetstone-forge-"));
  const [honest, liar, attacker] = [await startModel(true), await startModel(false), await startModel(false)];
  const problems: string[] = [];
  const expect = (isTrue: boolean, what: string) => void (isTrue || problems.push(what));
  const mark = join(folder, "ran");
  const base = (more: ForgeCase["base"] = {}) => ({
    [skill]: carefulSkill,
    "skills/office/tasks.jsonl": taskRows,
    "whetstone.config.json": configOf(honest.url),
    ...more,
  });
  let count = 0;
  const open = (commits: Parameters<typeof makeRepository>[1]) => {
    count += 1;
    const place = join(folder, String(count));
    mkdirSync(join(place, "checkout"), { recursive: true });
    makeRepository(join(place, "checkout"), commits);
    return { cli, home: join(place, "home"), cwd: join(place, "checkout"), journal: join(place, "journal") };
  };
  try {
    // the other way round: what a careful skill is worth, and what a second push costs
    const better = open([{ ...base(), [skill]: carelessSkill }, { [skill]: carefulSkill }]);
    const first = await runPr(better);
    const calls = honest.calls;
    const second = await runPr(better);
    expect(first.verdict === "better" && first.code === 0, `an honest pull request: ${first.printed}`);
    expect(second.verdict === "better", `its second push: ${second.printed}`);
    const bought = honest.calls - calls;
    expect(bought === 0, `its second push bought ${bought} calls`);
    const worse = open([base(), { [skill]: carelessSkill }]);
    const plain = await runPr(worse);
    expect(plain.verdict === "worse" && plain.code === 1, `a worse skill: ${plain.printed}`);

    // what an attacker measures at home
    const forged = open([
      { ...base(), "whetstone.config.json": configOf(attacker.url) },
      { [skill]: carelessSkill },
    ]);
    const lie = await runPr(forged);
    expect(lie.verdict === "better", `the lying endpoint doesn't lie: ${lie.printed}`);
    const journal = Object.fromEntries(
      readdirSync(forged.journal, { recursive: true, encoding: "utf8" })
        .filter((file) => statSync(join(forged.journal, file)).isFile())
        .map((file) => [file, readFileSync(join(forged.journal, file))]),
    );

    const ways = pullRequestCases({ honest: honest.url, liar: liar.url, mark, folder, journal });
    const cases = short ? ways.filter((_, at) => at % 4 === 0) : ways;
    expect(ways.length >= 20, `there are ${ways.length} ways`);
    // as if the checkout were there: its author knows the path, because all runners use the same
    writeFileSync(
      join(folder, "evil.mjs"),
      `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(mark)}, "");\nexport const own = () => true;\n`,
    );
    let believed = 0;
    const queue = [...cases];
    const work = async () => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
        const { name, change, isUsualJournal = false, names = [] } = one;
        const { journal: outside, ...place } = open([base(one.base), change]);
        const end = await runPr(isUsualJournal ? place : { ...place, journal: outside });
        // worse, as it is; or an error
        const isHeld = end.code === 2 || (end.code === 1 && end.verdict === "worse");
        if (!isHeld) believed += 1;
        expect(isHeld, `${name}: exit ${end.code}, ${end.verdict}: ${end.printed.slice(-600)}`);
        expect(!end.shown.includes("▲"), `${name}: something is called better`);
        expect(one.own?.test(end.own ?? "") !== false, `${name}: its second row: ${end.own}`);
        const exported =
          end.verdict === undefined
            ? "worse"
            : exportedVerdict(isUsualJournal ? join(place.cwd, ".whetstone") : outside);
        expect(exported === "worse", `${name}: its exported report says ${exported}`);
        for (const file of names)
          expect(end.verdict === undefined || end.changed.includes(file), `${name}: ${file} isn't named`);
        log(
          `${name}: ${end.verdict ?? `not measured (${end.why})`}${end.own === undefined ? "" : `; with its own: ${end.own}`}`,
        );
      }
    };
    await Promise.all([work(), work(), work()]);
    expect(!existsSync(mark), "code from a pull request ran");
    expect(
      liar.calls === 0 && liar.keys.size === 0,
      `a pull request's endpoint was called ${liar.calls} times`,
    );
    const proposals = await forgedProposals(folder, { short, log });
    problems.push(...editedReports(worse, short ? 2 : undefined), ...proposals.problems, ...namedOnThePage());
    for (const problem of problems) log(`NOT: ${problem}`);
    log("not covered: GitHub itself; the proof `action` simulates caches by ref and forks");
    return {
      ok: problems.length === 0,
      figures: {
        ways: cases.length,
        believed,
        codeRan: existsSync(mark),
        callsOfSecondPush: bought,
        figuresChanged: proposals.figures,
      },
    };
  } finally {
    for (const model of [honest, liar, attacker]) model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of the report that `pr` leaves for people, and that a workflow attests. */
const exportedVerdict = (folder: string): string =>
  (
    JSON.parse(readFileSync(join(folder, "pr/skills%2Foffice/summary.json"), "utf8")) as {
      readonly verdict: string;
    }
  ).verdict;
