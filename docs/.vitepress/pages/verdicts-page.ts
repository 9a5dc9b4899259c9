import { firstBar as barOf, halfLife, leftAfter, payOf } from "../../../src/core/gate/claim/account.ts";
import { fewestForProof, fewestTasks } from "../../../src/core/gate/claim/claim-p.ts";
import { gridSteps } from "../../../src/core/gate/claim/claim-pair.ts";
import { claimVerdict, claimWord } from "../../../src/core/gate/claim/claim-verdict.ts";
import { power } from "../../../src/core/gate/claim/power.ts";
import { assumedFlipRate } from "../../../src/core/gate/claim/claim-trials.ts";
import { fewGraded } from "../../../src/core/group-words.ts";
import { defaultOf } from "../../../src/core/setting.ts";
import { defaultSeed, gateSettings } from "../../../src/core/settings.ts";
import { levelText, shownLevel } from "../../../src/core/shown-level.ts";
import { type VerdictWord, claimSentence, verdictWords } from "../../../src/core/verdict-words.ts";

/** docs/verdicts.md: every figure on it is computed by the functions that a verdict is made with. */
export function verdictsPage(): string {
  return `# How verdicts are made

A verdict is a sentence about two skills on tasks that made neither of them. It names what was tested, with its p and the threshold. This page
is made from the code that makes verdicts: \`npm run generate\`.

${wordTable()}

Only *better*, and *not worse* of a pruning, are adopted without \`--unproven\`, and only if they keep to \`--max-cost\`. A part or a merge of a proven
change doesn't need that flag either, and is recorded as unproven.

A training with the gate \`rules\` ends with a lean and a full text ([concepts](concepts.md#a-rules-worth)). The one that isn't offered has no
verdict, and \`whetstone adopt --lean <run>\` or \`--full <run>\` takes it as unproven.

A training also measures a *one-shot rewrite*: the skill as the optimizer writes it in one go from the first failures. If it passes more
test tasks than the text that the search ended with, the result says so first. \`whetstone diff --one-shot <run>\` shows it, and
\`whetstone adopt --one-shot <run>\` adopts exactly the text that was measured. It was chosen by one trial per test task, so it is always
recorded as unproven. If it did no better, or a guard refuses its text, \`adopt --one-shot\` refuses and says why.

## From rollouts to a word

1. **Pairs.** Both skills run the same task and trial side by side. The first trial of all tasks comes before the second of any.
2. **Units.** A unit counts once: a task, a \`group\` of tasks, or a cluster of near-duplicates. Repeated answers to one task
   never count as several tasks.
3. **The test.** If the skills were the same, each unit's difference could as well have had the other sign. The share of all such
   assignments of signs that give a difference at least as large is p. It is one-sided, asked once for *better* and once for *worse*, each at
   its threshold, and needs at least ${fewestForProof} units. Below ${fewestTasks} units, a test over trials at the same thresholds may follow. It speaks of these tasks alone.
4. **The threshold.** A first question on a file of tasks claims at ${percent(firstBar, 1)}. With every further text on the same tasks the threshold for *better* falls
   ([below](#what-the-same-tasks-can-still-show)), so ten runs on one file aren't ten lottery tickets.
5. **The interval** contains every shift that neither of two such tests would refuse, and at least what Student's t allows with two invented
   tasks. Every interval in Whetstone is a ${levelText} interval: of a verdict, a cost, a score or a rule. The verdict is read from p and its
   threshold, not from the interval. At a first question a p between ${percent((1 - shownLevel) / 2, 1)} and ${percent(firstBar, 1)} is a *better* whose interval just contains zero. At later ones the threshold for
   *better* is lower, so an interval without zero can be *not proven*.
6. **Who may lose.** Each verdict names the worst group of tasks with a bound that is corrected for the number of groups. A group is a \`type\` of
   tasks, or a \`group\` if no task has a type. Without groups it says how many tasks like these could fall.

For example, ${quote(
    claimSentence(
      claimVerdict(
        [...times(10, { incumbent: [0], candidate: [1] }), ...times(5, { incumbent: [1], candidate: [1] })],
        { alpha: firstBar },
      ),
      { asked: { read: 1 } },
    ),
  )}

A missing result is never a score. Replies that are cut off, empty or unusable are reported as such. Checks that pass on an empty
answer make no claim, and neither does a [judge](evals.md#does-the-judge-agree-with-you) that was not calibrated. If the judge is of the optimizer's family or
provider, the verdict says so: models favour what their own kind writes.

## Assumptions behind "exact"

- **Signs are as likely up as down.** p is exact if, for equally good skills, a task is as likely to rise by some amount as to fall by it. That
  is so if both skills behave alike on each task. If effects differ between tasks and cancel out on average, it is an assumption. It is nearly right for
  pass/fail scores, and can be far off for graded ones: see [below](#how-often-it-is-wrong).
- **Tasks are drawn alike.** A verdict about tasks like these holds for tasks that come from the same source in the same way. It says nothing of
  another kind of task.
- **Units are independent.** Tasks that rise and fall together must share a \`group\`.
- **Scores are rounded** to steps of 1/${gridSteps} before the test. Means and differences are reported as scored.
- **Questions on the same tasks are dependent.** So what they spend is added up: the sum is a bound, whatever they have in common.
- **No difference and not worse** rest on bets instead. A capital grows while the mean stays within the margin. By luck it reaches 1/threshold at most as
  often as the threshold says. That needs no symmetry, only tasks drawn alike.

## What the same tasks can still show

Each text that is compared on the same tasks is one more chance to look better by luck. So \`train\`, \`compare\`, \`eval --baseline\`, \`pr\`, \`prune\` and
the matchers of vitest spend from one account for each file of tasks. All of its questions together have ${percent(alpha)} for a false *better*.
Three fifths go to the first question. Two thirds of the rest go to the next ten together, two thirds of what is left then to the ten after
those, and so on. Nine tenths of that are for the first look at a question.

| question on these tasks | threshold for *better* | threshold for *worse* |
|---|---|---|
${questionRows()}

Every verdict names its place: "The 12th text compared on these tasks in this journal."

- *Better* and *no difference* spend, and so does *not worse* of a pruning. *Worse* is a warning: its threshold is the same for every question.
- The same two texts are one question, however often you ask and whichever is the later one. More trials of them are another look, and all
  looks share what the question has.
- \`whetstone compare a b c d\` is one question about three texts. All of them are tested with the same random signs, and the largest difference
  counts (max-T), so texts that behave alike cost each other little. Each text is still paired with \`a\` by itself.
- A text that didn't change since its last claim spends nothing on a new model.
- Near-duplicates of tasks are the same tasks: one more word in a longer task doesn't make it new. A task of fewer than eight words is new if a word changes.
- New tasks refill the account by their share, if the claim reads them. That is the way to get more out of a file.
- The account is in the journal: in your state folder, or in a shared PostgreSQL. Deleting \`.whetstone\` doesn't reset it.
- In CI, questions never end. There \`pr\` and the matchers use a memory that fades: an earlier question counts half after ${halfLife} more. The threshold for
  *better* then varies between ${thresholdOf(12)} and ${thresholdOf(2)}. Over a long time a false *better* does come, but the questions that are remembered never have more than ${percent(alpha)} in all.
- A lower threshold needs more evidence. Unless you set \`--trials\`, \`train\` and \`compare\` buy as many as find +20 points in 80 of 100 cases
  at the threshold that is left. \`pr\` doesn't, because it looks for losses.

\`npm run -s proof compare\` measures this on simulated files.

## Answers that know nothing

An answer can pass without knowing anything about the task. Two kinds are measured with every verdict, without a model call.

**Joined answers.** "bug feature question docs" passes every \`contains\` check of a set of labels. The checks still count, but the claim is
withheld if, on half of the tasks or more, the later skill's reply

- lists at least two, and more than half, of the values that these tasks expect, or
- is one and the same reply that passes whichever value is expected.

The values come from the tasks' own \`contains\`, \`icontains\` and \`regex\` checks, and each check decides whether a reply contains its value. A value
that is only a part of another one isn't listed: "invalid" doesn't list "valid", and "not spam" doesn't list "spam". "valid or invalid" lists
both. \`exact\`, \`answers\`, \`number\` and \`starts-with\` read one answer, so no reply can list two. A model that tells the values
apart repeats one reply too, and its errors may pass a loose check. So the second rule counts only if the reply reaches other values at
least half as often as chance would.

An honest explanation that names both labels ("this isn't spam, it is ham") counts as a list. Its check would also have passed the opposite,
so it measured nothing on that task. Ask for one answer and check all of it: \`exact\`, \`answers\`, \`json-schema\`, or a \`regex\` from \`^\` to \`$\`.
*Worse*, *lower* and *undecided* stay as they are. \`--fail-on worse\` lets a withheld claim pass, \`not-better\` refuses it, and \`adopt\` needs \`--unproven\`.

**Constant answers.** The most frequent value, the answer of another task, a reply of either skill, or a text such as \`{}\`: each is
given to every task, and the best score is printed as "Best constant answer: 61.0 %". Joined answers don't count as constants. A constant
withholds nothing, but *better* requires that the later skill scores above it on the same tasks. Otherwise the verdict is *not proven*.
If all tasks expect the same words, such as one form of greeting, a fixed answer passes them all. Giving it is what the skill teaches
there, so the figure is printed and takes no word away.

The best constant is a lower bound: a search over at most 40 texts of each source, not over all texts. It leaves out tasks that need a judge, a
grader or a function of yours, and the sentence names how many. Triggers, your own environments and nights have no such figure.
With \`--json\`, \`claim.constant\` and \`claim.joined\` have the figures, and \`claim.reason\` is \`joined-answers\` or \`constant-answer\`.

## How often it is wrong

On simulated targets with pass/fail scores, where both skills are equally good, at the threshold of a first question:

![Share of false "better" by number of test tasks and trials: every cell lies below ${percent(firstBar, 1)}.](./pictures/false-claims.svg)

This holds for pass/fail scores, and for tasks that belong together if you declare it with \`group\`. It doesn't hold for:

- **Graded scores that fall on a few tasks.** If a skill gains 5 points on 90% of the tasks and loses 45 on the others, its mean gain is zero. It is
  still called *better* in ${betterShares()}. Most of these samples contain none of the
  tasks that lose, so the verdict can't name one. Below ${fewGraded} units a *better* or *worse* on graded scores therefore says how many tasks like these could still
  move the other way. That is ${couldFall(12)} if none of 12 did, ${couldFall(20)} of 20, ${couldFall(29)} of 29. That bound is exact and needs no symmetry.
- **Groups that aren't declared.** Tasks that rise and fall together then count as separate tasks, and false claims become more frequent.

Whole runs, search included, were last simulated before the gate \`rules\` existed. \`npm run -s proof claims\` is to be measured again.

## Gains that it can find

![How often a true gain is called better, by its size and the number of test tasks.](./pictures/power.svg)

\`whetstone plan\` computes this for your tasks before anything is bought: for a gain that all tasks share, and for one of the same mean on some
topics. There, tasks that mostly failed now pass and the others stay. The second is found less often, because a sample can contain few of these
topics. More trials don't change that, and more tasks do. At a first question, with pass/fail scores of 50% of which two trials differ in ${percent(assumedFlipRate)}:

| test tasks × trials | gain | found if all tasks share it | found if some topics have all of it |
|---|---|---|---|
${powerRows()}

Both plots are drawn from the figures in the [results](results.md) of proof \`gate\` by \`npm run generate\`. They
come from scripted worlds, where the truth is known; [evidence](evidence.md) says what such figures cannot show.

Why search and claim are two instruments: [decision 3](decisions/0003-search-and-claim.md). Why pairs: [decision 10](decisions/0010-pairs.md).
`;
}

const alpha = defaultOf(gateSettings.sealedAlpha);

/** The threshold of a first question. */
const firstBar = barOf(alpha);

const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)}%`;

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

const quote = (text: string): string => `when 10 of 15 tasks rise and none falls:\n\n> ${text}`;

/** Every word of the program, so that none is missing here. */
function wordTable(): string {
  const rows = Object.entries(meanings).map(
    ([word, meaning]) => `| **${verdictWords[word as VerdictWord].word}** | ${meaning} |`,
  );
  return [
    "| word | meaning |",
    "|---|---|",
    ...rows,
    "| **drift** | Next to the others: the provider moved while the pairs were rolled. |",
    "| **unverified** | `--gate off`: nobody looked. |",
  ].join("\n");
}

const meanings: Readonly<Record<VerdictWord, string>> = {
  better:
    "An exact test over tasks found a gain, on tasks that neither the optimizer nor the gate has seen. It speaks of tasks like these.",
  worse: "The same test found a loss.",
  higher: `Fewer than ${fewestTasks} test tasks, or tasks that made one of the skills: a gain on these tasks alone. Never a proof.`,
  lower: "The same for a loss.",
  "no-difference":
    "A bound over tasks rules out a mean difference of 10 points or more in either direction, on tasks like these.",
  even: "The interval lies within 10 points, and no bound over tasks does. It speaks of these tasks alone and is never a proof.",
  "not-proven": "The test didn't find a difference that large by more than chance. Nothing more.",
  "not-worse":
    "Of a pruned skill: a bound over tasks rules out a loss of more than the margin, on tasks like these.",
  "no-loss":
    "Of a pruned skill: such a loss is ruled out on these tasks alone. Never a proof. With few test tasks no more can be shown.",
  withheld:
    "The later skill's replies list all options, and the checks pass them. Nothing is claimed for it; see [below](#answers-that-know-nothing).",
  undecided: "Results are missing that could still change the answer.",
  "not-tested": "No claim was made: there is no test split, or it wasn't read.",
  unchanged: "The original stays, so there is nothing to claim.",
  identical: "Both skills are the same, byte for byte.",
};

/** The threshold for *better* of the n-th question on a file. */
function thresholdOf(question: number): string {
  const paid: number[] = [];
  while (paid.length < question) paid.push(payOf(leftAfter(paid)));
  const bar = barOf(alpha, paid.at(-1));
  return percent(bar, bar > 0.01 ? 1 : bar > 0.0002 ? 2 : 3);
}

const questionRows = (): string =>
  [
    ["first", 1],
    ["2nd to 11th", 2],
    ["12th to 21st", 12],
    ["22nd to 31st", 22],
  ]
    .map(([name, question]) => `| ${name} | ${thresholdOf(Number(question))} | ${percent(firstBar, 1)} |`)
    .join("\n");

/** Exact, over how many of the tasks are of those that lose: +5 points on 90% of all tasks, −45 on the others. */
export function shareOfBetter(tasks: number): number {
  let [chance, sum] = [0.9 ** tasks, 0];
  for (let losing = 0; losing <= tasks; losing += 1) {
    const pairs = Array.from({ length: tasks }, (_, at) => ({
      incumbent: [0.5],
      candidate: [at < losing ? 0.05 : 0.55],
    }));
    if (claimWord(pairs, { alpha: firstBar }).word === "better") sum += chance;
    chance *= ((tasks - losing) / (losing + 1)) * (0.1 / 0.9);
  }
  return sum;
}

function betterShares(): string {
  const [at12 = "", at20, at30, at100] = [12, 20, 30, 100].map((tasks) => percent(shareOfBetter(tasks)));
  return `${at12} of cases with 12 test tasks, ${at20} with 20, ${at30} with 30 and ${at100} with 100`;
}

/** How many tasks could still fall where none of so many did. */
function couldFall(tasks: number): string {
  const pairs = times(tasks, { incumbent: [0.5], candidate: [0.55] });
  return `${Math.ceil(100 * claimVerdict(pairs, { alpha: firstBar }).couldFall)}%`;
}

function powerRows(): string {
  const size = { alpha: firstBar, flipRate: assumedFlipRate, seed: defaultSeed };
  const sizes = [
    [12, 9, 0.19],
    [20, 4, 0.2],
    [34, 3, 0.17],
    [100, 1, 0.15],
  ] as const;
  return sizes
    .map(([tasks, trials, effect]) => {
      const claim = { ...size, tasks, trials, effect };
      const found = [power(claim), power({ ...claim, gain: "some topics" })].map((share) => percent(share));
      return `| ${tasks} × ${trials} | +${Math.round(100 * effect)} points | ${found.join(" | ")} |`;
    })
    .join("\n");
}
