import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../../core/random.ts";
import { adoptOffer } from "./adopt.ts";
import { harmlessTexts } from "../../../test/support/adopt/hidden-texts.ts";
import {
  type Expected,
  expectedTrees,
  judgeDeath,
  judgeNext,
  nextCommands,
  stampsOf,
} from "../../../test/support/adopt/judge.ts";
import { kinds } from "../../../test/support/adopt/kinds.ts";
import { offerTexts } from "../../../test/support/adopt/offer-texts.ts";
import type { Order } from "../../../test/support/adopt/worker.ts";
import { execute, type Kind, makeWorkshop, unsynced } from "../../../test/support/adopt/workshop.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { numberOption, type ProofOptions, type ProofResult } from "../../../test/support/proof.ts";

const claim =
  "Killed at any operation, adopt and undo leave exactly the old or the new bytes. Hidden text is never adopted.";

longTest(claim, proveAdopt);

interface Death extends Required<Pick<Order, "command" | "at" | "moment">> {
  readonly kind: Kind;
  readonly next: Parameters<typeof judgeNext>[1];
}

/** Options: `--seed n`, `--every n` of the operations, `--repeated n` cases in which the next commands are killed as well. */
async function proveAdopt({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  const repeated = numberOption(args, "repeated", short ? 4 : 200);
  log(`seed ${seed} (repeat with: -- --seed ${seed})`);
  const root = mkdtempSync(join(tmpdir(), "whetstone-adopt-"));
  let violations = 0;
  const complain = (where: string, found: readonly string[]) => {
    for (const violation of found) log(`VIOLATION ${where}: ${violation}`);
    violations += found.length;
  };
  try {
    const expected = new Map<Kind, Expected>();
    for (const kind of kinds) expected.set(kind, await expectedTrees(join(root, "expected"), kind));

    const { deaths, operations } = await planDeaths(root, short, log);
    // five and four have no divisor in common: each of the next commands meets some of these deaths
    const every = numberOption(args, "every", short ? 5 : 1);
    const chosen = deaths.filter((_, at) => at % every === 0);
    await inPairs(chosen, root, async (death, dir) => {
      complain(nameOf(death), await dieOnce(dir, death, expected.get(death.kind)!));
    });
    const met = short ? "by diff, finish, adopt or undo in turn" : "by diff, by finish, by adopt and by undo";
    log(`${chosen.length} processes killed, what each left met ${met}: ${violations} violations`);

    let repeatedDeaths = 0;
    await inPairs([...Array(repeated).keys()], root, async (at, dir) => {
      const result = await dieAgainAndAgain(dir, seed, at, expected);
      repeatedDeaths += result.deaths;
      complain(`repeated deaths, case ${at}`, result.violations);
    });
    log(
      `${repeatedDeaths} more in ${repeated} cases where the next commands die too: ${violations} violations`,
    );

    const texts = await offerTexts(join(root, "texts"), short, log);
    return {
      ok:
        violations === 0 &&
        repeatedDeaths > 0 &&
        texts.refused === texts.hidden &&
        texts.adopted === harmlessTexts.length,
      figures: {
        seed,
        operations,
        deaths: chosen.length,
        repeatedCases: repeated,
        repeatedDeaths,
        violations,
        hiddenTexts: texts.hidden,
        hiddenRefused: texts.refused,
        harmlessTexts: harmlessTexts.length,
        harmlessAdopted: texts.adopted,
      },
    };
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Counts the operations of each command when nobody dies, and kills at each of them. */
async function planDeaths(root: string, short: boolean, log: (line: string) => void) {
  // dead after one operation is dead before the next: the long form does not take that on trust
  const moments = short ? (["before", "torn"] as const) : (["before", "torn", "after"] as const);
  const deaths: Death[] = [];
  const operations: Record<string, number> = {};
  for (const kind of kinds) {
    const { run } = await makeWorkshop(join(root, "plan"), kind);
    for (const command of ["adopt", "undo"] as const) {
      const names = (await execute({ command, run })) ?? [];
      operations[`${command} ${kind.name}`] = names.length;
      log(
        `${command}, ${kind.name}: ${names.length} operations, ${names.filter(isWrite).length} of them writes`,
      );
      for (const [index, name] of names.entries()) {
        for (const moment of moments) {
          if (moment === "torn" && !isWrite(name)) continue;
          const next = short ? [nextCommands[deaths.length % nextCommands.length]!] : nextCommands;
          deaths.push({ kind, command, at: index + 1, moment, next });
        }
      }
    }
  }
  return { deaths, operations };
}

const isWrite = (name: string): boolean => name === "write";

async function dieOnce(dir: string, death: Death, expected: Expected): Promise<readonly string[]> {
  const { kind, command, at, moment, next } = death;
  const workshop = await makeWorkshop(dir, kind);
  if (command === "undo") await adoptOffer(workshop.run, { operations: unsynced });
  const stamps = stampsOf(workshop);
  if ((await execute({ command, run: workshop.run, at, moment })) !== undefined) return ["it was not killed"];
  return [
    ...judgeDeath(workshop, expected),
    ...(stampsOf(workshop) === stamps ? [] : ["a file that stays was touched"]),
    ...(await judgeNext(workshop, next, expected)),
  ];
}

/** Four commands, each killed at some operation if it gets that far, and then one that lives. */
async function dieAgainAndAgain(
  dir: string,
  seed: number,
  at: number,
  expected: ReadonlyMap<Kind, Expected>,
): Promise<{ readonly deaths: number; readonly violations: readonly string[] }> {
  const random = seededRandom(seed, "repeated", at);
  const kind = kinds[Math.floor(random() * kinds.length)]!;
  const workshop = await makeWorkshop(dir, kind);
  const violations: string[] = [];
  let deaths = 0;
  for (let round = 0; round < 4; round += 1) {
    const isKilled = await dies({
      command: round === 0 || random() < 0.5 ? "adopt" : "undo",
      run: workshop.run,
      at: 1 + Math.floor(random() * 60),
      moment: random() < 0.5 ? "before" : "after",
    });
    if (isKilled) deaths += 1;
    violations.push(...judgeDeath(workshop, expected.get(kind)!));
  }
  violations.push(...(await judgeNext(workshop, nextCommands, expected.get(kind)!)));
  return { deaths, violations };
}

/** To undo what was never adopted is refused, and that is no death. */
async function dies(order: Order): Promise<boolean> {
  try {
    return (await execute(order)) === undefined;
  } catch (error) {
    if (String(error).includes("wasn't adopted")) return false;
    throw error;
  }
}

const nameOf = ({ kind, command, at, moment }: Death): string =>
  `${command}, ${kind.name}, killed ${moment === "torn" ? "inside" : moment} operation ${at}`;

/** Two at a time, each in a folder of its own. */
async function inPairs<T>(
  items: readonly T[],
  root: string,
  work: (item: T, dir: string) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const lanes = [1, 2].map(async (lane) => {
    for (const item of queue) await work(item, join(root, `lane-${lane}`));
  });
  await Promise.all(lanes);
}
