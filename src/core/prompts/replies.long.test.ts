import { seededRandom } from "../random.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { checkReply, checkTruncation } from "../../../test/support/replies/reply-checks.ts";
import {
  frames,
  mutators,
  prompts,
  strangeTexts,
  wholeReply,
} from "../../../test/support/replies/reply-corpus.ts";
import { checkWire } from "../../../test/support/replies/reply-wire.ts";

const claim =
  "No reply crashes a parser, no truncated reply is used, and no reply brings hidden text or a forged marker into a skill.";

longTest(claim, replies, ["--size", "0.1"]);

interface Tally {
  cases: number;
  accepted: number;
  applied: number;
  readonly violations: string[];
}

async function replies({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 5);
  const size = numberOption(args, "size", short ? 1 : 10);
  log(`seed ${seed}; contracts: ${prompts.map(({ name }) => name).join(", ")}`);
  const cuts = cutEverywhere(Math.ceil(2 * size), seed);
  log(`cut at every byte: ${cuts.cases} replies, ${cuts.violations.length} violations`);
  const mutated = await mutate(450 * size, 5200 * size, seed, log);
  const wire = await checkWire(900 * size, seed);
  log(
    `over real sockets: ${wire.cases} replies, ${wire.answered} of them answers, ${wire.violations.length} violations`,
  );
  const violations = [...cuts.violations, ...mutated.violations, ...wire.violations];
  for (const violation of [...new Set(violations)].slice(0, 20)) log(`VIOLATION ${violation}`);
  return {
    ok:
      violations.length === 0 &&
      mutated.cases >= 10_000 * Math.min(size, 1) &&
      mutated.accepted > 0 &&
      mutated.applied > 0,
    figures: {
      seed,
      truncated: cuts.cases,
      mutated: mutated.cases,
      acceptedByAContract: mutated.accepted,
      editsApplied: mutated.applied,
      overSockets: wire.cases,
      violations: violations.length,
    },
  };
}

/** A whole reply holds one object; ending before the object's last byte makes it a truncated one. */
function cutEverywhere(objects: number, seed: number): Tally {
  const tally: Tally = { cases: 0, accepted: 0, applied: 0, violations: [] };
  for (let nth = 0; nth < objects; nth += 1) {
    const object = wholeReply(seededRandom("cut", seed, nth));
    for (const [head, tail] of frames) {
      const before = Buffer.from(head + JSON.stringify(object));
      const reply = Buffer.concat([before, Buffer.from(tail)]);
      for (let at = 0; at <= reply.length; at += 1) {
        tally.cases += 1;
        tally.violations.push(...checkTruncation(reply, object, before.length, at));
      }
    }
  }
  return tally;
}

async function mutate(
  perMutator: number,
  strange: number,
  seed: number,
  log: ProofOptions["log"],
): Promise<Tally> {
  const tally: Tally = { cases: 0, accepted: 0, applied: 0, violations: [] };
  const add = async (name: string, text: string) => {
    const { accepted, applied, violations } = await checkReply(text);
    tally.cases += 1;
    tally.accepted += accepted > 0 ? 1 : 0;
    tally.applied += applied;
    tally.violations.push(...violations.map((violation) => `${name}: ${violation}`));
  };
  const section = async (name: string, texts: Iterable<string>) => {
    const before = { ...tally, violations: tally.violations.length };
    for (const text of texts) await add(name, text);
    log(
      `${name.padEnd(22)} ${String(tally.cases - before.cases).padStart(6)} replies, ${String(tally.accepted - before.accepted).padStart(5)} accepted by a contract, ${tally.violations.length - before.violations} violations`,
    );
  };
  for (const { name, isLarge = false, mutate: spoil } of mutators) {
    const random = seededRandom("mutate", seed, name);
    const count = isLarge ? Math.ceil(perMutator / 10) : perMutator;
    await section(
      name,
      Array.from({ length: count }, () => spoil(wholeReply(random), random)),
    );
  }
  await section("anything (fast-check)", strangeTexts(strange, seed));
  return tally;
}
