import { type HandoffNight, type HandoffNightOptions, nightByHand } from "./handoff/night-by-hand.ts";
import { type NightInClaude, nightInClaude } from "./handoff/night-in-claude.ts";
import { type ProofOptions, type ProofResult, numberOption } from "./proof.ts";

export const claim =
  "A night of ten conversations without any key asks the person's own agent at most 15 questions in at most 3 rounds. Each round is one file with order and roles, and the night leaves one proposal and nothing else. With --by-hand all it measures too, in at most 8 rounds. The real Claude Code does the same through the plugin, with a fresh helper for each question that sees no other. It's refused when it tries to adopt, and leaves a marker at its end.";

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
  log(`seeds ${seeds.join(", ")}: \`whetstone sleep run\` repeatedly, with every role handoff/me`);
  log("a round is one run that exits with 3, and all its questions, answered by a script;");
  log("the run that exits with 0 asks nothing, so it isn't a round");
  log("Not covered: answers in a wrong format. The resulting wording isn't judged.");
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
  const inClaude = await proveInClaude(first, short, log);
  return {
    ok: nights.every(({ isShort, problems }) => isShort && problems.length === 0) && inClaude.ok,
    figures: {
      seeds,
      conversations: 10,
      rounds: nights.map(({ rounds }) => rounds.length),
      questions: nights.map(({ questions }) => questions),
      problems: nights.flatMap(({ problems }) => problems),
      claude: inClaude.nights.map(({ version, rounds, questions, seconds }) => ({
        version,
        rounds,
        questions,
        seconds,
      })),
    },
  };
}

/** The plugin in the real program; with `all` there are arms, and questions for both. */
async function proveInClaude(
  seed: number,
  short: boolean,
  log: (line: string) => void,
): Promise<{ readonly ok: boolean; readonly nights: readonly NightInClaude[] }> {
  log("");
  log(
    "The real Claude Code with the plugin, its model a script that follows the command's text to the letter:",
  );
  log("this doesn't show whether a real model does, or what people allow it to run.");
  const cases = short
    ? [{ seed, conversations: 3 }]
    : [
        { seed, conversations: 10 },
        { seed, conversations: 5, all: true },
      ];
  const nights: NightInClaude[] = [];
  let ok = true;
  for (const options of cases) {
    const night = await nightInClaude(options);
    if (night === undefined) {
      log("  claude is not installed: run `. .ci/env && . .ci/agents` first.");
      return { ok: false, nights };
    }
    nights.push(night);
    const [rounds, questions] = options.all === true ? [mostRounds, Infinity] : [mostWords, mostQuestions];
    const isShort = night.rounds <= rounds && night.questions <= questions;
    log(
      `  ${options.all === true ? "all" : "words"}, ${options.conversations} conversations, Claude Code ${night.version}: ${night.rounds} rounds, ${night.questions} questions, each with its own helper (${night.seconds} s)`,
    );
    for (const problem of night.problems) log(`  NOT: ${problem}`);
    if (!isShort) log(`  NOT: at most ${rounds} rounds and ${questions} questions`);
    ok &&= isShort && night.problems.length === 0;
  }
  return { ok, nights };
}
