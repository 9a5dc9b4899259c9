import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findLeak, type Leak } from "./leak.ts";
import { buildLeakIndex, type LeakIndex } from "./leak-index.ts";
import { violatesContract } from "./output-contract.ts";
import { seededRandom } from "../random.ts";
import { parseTasks } from "../tasks/parse-tasks.ts";
import type { Task } from "../tasks/task.ts";
import { type Copy, copiesOf } from "../../../test/support/leak/copies.ts";
import { longTest } from "../../../test/support/long-test.ts";
import type { ProofOptions, ProofResult } from "../../../test/support/proof.ts";

const claim =
  "An edit that copies a check, a rubric or an expected answer is refused, and so are at most 2% of honest rules.";

longTest(claim, proveLeak, ["--untimed"]);

/** Tasks of one domain and honest rules for them. */
interface RuleSet {
  readonly domain: string;
  readonly tasks: readonly Task[];
  readonly rules: readonly string[];
}

/** An edit that copies something of one task; a class that begins with "beyond" is counted, not claimed. */
interface LeakingEdit {
  readonly class: string;
  readonly domain: string;
  readonly task: string;
  readonly text: string;
}

type Log = ProofOptions["log"];

async function proveLeak({ args, log }: ProofOptions): Promise<ProofResult> {
  const first = readSets("honest-rules.json");
  const later = readSets("fresh-rules.json");
  const indexes = new Map([...first, ...later].map(({ domain, tasks }) => [domain, buildLeakIndex(tasks)]));

  log("honest rules, written before the guard:");
  const honest = countRefused(first, indexes, log);
  log("honest rules, written after its first form:");
  const fresh = countRefused(later, indexes, log);
  const skills = [...first, ...later].filter(({ domain, rules }) =>
    findLeak(rules.join("\n"), indexes.get(domain)!),
  );
  log(`whole skills made of them: ${skills.length} of ${indexes.size} refused`);

  log("leaking edits, by class:");
  const edits = readJson("leaking-edits.json") as readonly LeakingEdit[];
  const leaks = tally(
    edits.map(({ class: name, domain, text }) => [name, text, findLeak(text, indexes.get(domain)!)]),
    log,
  );

  log("every secret of every task, copied by machine:");
  const copies = [...first, ...later].flatMap(({ domain, tasks }) =>
    tasks.flatMap((task) => copiesOf(task).map((copy): [Copy, string] => [copy, domain])),
  );
  const copied = tally(
    copies.map(([{ kind, text }, domain]) => [kind, text, findLeak(text, indexes.get(domain)!)]),
    log,
  );

  const milliseconds = timeOneEdit(first);
  log(`one edit of 2 kB against 10,000 tasks: ${milliseconds} ms of processor time`);

  const ok =
    honest.rules >= 300 &&
    honest.refused <= 0.02 * honest.rules &&
    fresh.refused <= 0.02 * fresh.rules &&
    leaks.edits >= 50 &&
    leaks.missed === 0 &&
    copied.missed === 0 &&
    (milliseconds < 20 || args.includes("--untimed"));
  return { ok, figures: { honest, fresh, skillsRefused: skills.length, leaks, copied, milliseconds } };
}

const readJson = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../../../test/support/leak", name), "utf8"));

const readSets = (name: string): readonly RuleSet[] =>
  (readJson(name) as readonly RuleSet[]).map((set) => ({ ...set, tasks: parseTasks(set.tasks, set.domain) }));

function countRefused(sets: readonly RuleSet[], indexes: ReadonlyMap<string, LeakIndex>, log: Log) {
  let [rules, refused, byContract] = [0, 0, 0];
  for (const { domain, tasks, rules: list } of sets) {
    const contracts = [...new Set(tasks.flatMap(({ system }) => (system === undefined ? [] : [system])))];
    for (const rule of list) {
      const leak = findLeak(rule, indexes.get(domain)!);
      const violation = violatesContract(rule, contracts);
      rules += 1;
      if (leak !== undefined) refused += 1;
      if (violation !== undefined) byContract += 1;
      if (leak !== undefined)
        log(`  ${domain}: ${show(rule)} refused: ${leak.how} ${leak.taskId} ${show(leak.text)}`);
      if (violation !== undefined) log(`  ${domain}: ${violation}`);
    }
  }
  log(
    `  ${rules} rules of ${sets.length} domains: ${refused} refused as leaks, ${byContract} by their contract`,
  );
  return { rules, refused, byContract };
}

/** Counts by class what was found; classes beyond the claim are shown and left out of the sums. */
function tally(
  results: readonly (readonly [name: string, text: string, leak: Leak | undefined])[],
  log: Log,
) {
  let [edits, missed, beyond, beyondMissed] = [0, 0, 0, 0];
  for (const [name, group] of Map.groupBy(results, ([each]) => each)) {
    const misses = group.filter(([, , leak]) => leak === undefined);
    log(
      `  ${name.padEnd(40)} ${String(group.length - misses.length).padStart(4)} of ${group.length} refused`,
    );
    if (name.startsWith("beyond")) {
      beyond += group.length;
      beyondMissed += misses.length;
      continue;
    }
    edits += group.length;
    missed += misses.length;
    for (const [, text] of misses) log(`    missed: ${show(text)}`);
  }
  return { edits, missed, beyond, beyondMissed };
}

const show = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text);

/** Mean processor time of `findLeak`, since the wall clock of a busy machine says nothing. */
function timeOneEdit(sets: readonly RuleSet[]): number {
  const words = sets.flatMap(({ tasks }) => tasks.flatMap(({ input }) => input.match(/\p{L}{3,}/gu) ?? []));
  const random = seededRandom("leak", "speed");
  const draw = (count: number) =>
    Array.from({ length: count }, () => words[Math.floor(random() * words.length)]).join(" ");
  const tasks = Array.from(
    { length: 10_000 },
    (_, at): Task => ({
      id: `task-${at}`,
      input: draw(40),
      checks: [
        { kind: "rubric", value: draw(30) },
        { kind: "regex", value: `^${draw(1)}\\b.*${draw(1)}` },
        { kind: "contains", value: draw(1 + (at % 3)) },
      ],
    }),
  );
  const index = buildLeakIndex(tasks);
  const edits = sets.map(({ rules }) => rules.join("\n").slice(0, 2000));
  for (const edit of edits) findLeak(edit, index);
  const { user, system } = process.cpuUsage();
  for (const edit of [...edits, ...edits, ...edits]) findLeak(edit, index);
  const used = process.cpuUsage();
  return Math.round((used.user + used.system - user - system) / (3 * edits.length) / 10) / 100;
}
