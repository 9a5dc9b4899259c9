import { type HandoffNight, nightByHand } from "./handoff/night-by-hand.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";

export const claim =
  "a night of 10 rubric tasks without any key, answered by the person's own agent through files, is done in at most 6 rounds and leaves one proposal and nothing else";

const most = 6;

/** Options: `--seed n`, the first of the seeds. */
export default async function proveHandoff({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const first = numberOption(args, "seed", 5);
  const seeds = short ? [first] : [first, first + 1, first + 2, first + 3];
  const cases = [
    ...seeds.map((seed) => ({ name: "ten conversations, one of them with a secret", seed, secret: true })),
    { name: "ten reviewed tasks", seed: first, reviewed: true },
    ...(short
      ? []
      : [{ name: "ten conversations, half of them with a skill", seed: first + 1, skill: "commits" }]),
  ];
  log(`seeds ${seeds.join(", ")}: \`whetstone sleep run\` again and again, every role handoff/me`);
  log("a round is one run that ends with 3 and all the questions that it leaves, answered by a script;");
  log("the run that ends with 0 asks nothing, so it is none");
  const nights: HandoffNight[] = [];
  for (const { name, ...options } of cases) {
    const night = await nightByHand(options);
    nights.push(night);
    log("");
    log(
      `${name}, seed ${options.seed}: ${night.rounds.length} rounds, exit ${night.code} at the end, "${night.sentence}"`,
    );
    for (const [at, { asked, seconds }] of night.rounds.entries())
      log(
        `  ${at + 1}. ${Object.entries(asked)
          .map(([role, count]) => `${count} for the ${role}`)
          .join(", ")} (${seconds} s)`,
      );
    for (const problem of night.problems) log(`  NOT: ${problem}`);
    if (night.rounds.length > most) log(`  NOT: at most ${most} rounds`);
  }
  return {
    ok: nights.every(({ rounds, problems }) => rounds.length <= most && problems.length === 0),
    figures: {
      seeds,
      tasks: 10,
      most,
      rounds: nights.map(({ rounds }) => rounds.length),
      questions: nights.map(({ questions }) => questions),
      problems: nights.flatMap(({ problems }) => problems),
    },
  };
}
