import { type HandoffNight, type HandoffNightOptions, nightByHand } from "./handoff/night-by-hand.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";

export const claim =
  "a night of ten conversations without any key asks the person's own agent at most 15 questions in at most 3 rounds, each round one file with order and roles, and leaves one proposal and nothing else; with --by-hand all it measures too, in at most 8 rounds";

const [mostWords, mostQuestions, mostRounds] = [3, 15, 8];

/** Options: `--seed n`, the first of the seeds. */
export default async function proveHandoff({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const first = numberOption(args, "seed", 5);
  const seeds = short ? [first] : [first, first + 1, first + 2, first + 3];
  const cases: readonly (HandoffNightOptions & { readonly name: string })[] = [
    ...seeds.map((seed) => ({
      name: "words, ten conversations, one of them with a secret",
      seed,
      secret: true,
    })),
    ...(short
      ? []
      : [
          { name: "all, ten conversations, one of them with a secret", seed: first, secret: true, all: true },
          { name: "all, ten reviewed tasks", seed: first, reviewed: true, all: true },
          { name: "words, ten conversations, half of them with a skill", seed: first + 1, skill: "commits" },
          {
            name: "all, ten conversations, half of them with a skill",
            seed: first + 1,
            skill: "commits",
            all: true,
          },
        ]),
  ];
  log(`seeds ${seeds.join(", ")}: \`whetstone sleep run\` again and again, every role handoff/me`);
  log("a round is one run that ends with 3 and all the questions that it leaves, answered by a script;");
  log("the run that ends with 0 asks nothing, so it is none");
  log(
    "What the world leaves out: whoever answers keeps to the format, and the wording that comes of it is not judged.",
  );
  const nights: (HandoffNight & { readonly isShort: boolean })[] = [];
  for (const { name, ...options } of cases) {
    const night = await nightByHand(options);
    const isShort = options.all
      ? night.rounds.length <= mostRounds
      : night.rounds.length <= mostWords && night.questions <= mostQuestions;
    nights.push({ ...night, isShort });
    log("");
    log(
      `${name}, seed ${options.seed}: ${night.rounds.length} rounds, ${night.questions} questions, exit ${night.code} at the end, "${night.sentence}"`,
    );
    for (const [at, { asked, seconds }] of night.rounds.entries())
      log(
        `  ${at + 1}. ${Object.entries(asked)
          .map(([role, count]) => `${count} for the ${role}`)
          .join(", ")} (${seconds} s)`,
      );
    for (const problem of night.problems) log(`  NOT: ${problem}`);
    if (!isShort)
      log(
        `  NOT: at most ${options.all ? `${mostRounds} rounds` : `${mostWords} rounds and ${mostQuestions} questions`}`,
      );
  }
  return {
    ok: nights.every(({ isShort, problems }) => isShort && problems.length === 0),
    figures: {
      seeds,
      conversations: 10,
      rounds: nights.map(({ rounds }) => rounds.length),
      questions: nights.map(({ questions }) => questions),
      problems: nights.flatMap(({ problems }) => problems),
    },
  };
}
