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

/** docs/verdicts.md. The functions that make a verdict also compute every figure on the page. */
export function verdictsPage(): string {
  return `# How verdicts are made

A verdict is a sentence about two skills, compared on tasks that weren't used to make either of them. It names what was tested, its p and the threshold. This page
is generated from the code that makes verdicts: \`npm run generate\`.

${wordTable()}

Only *better*, and *not worse* for a pruning, can be adopted without \`--unproven\`, and only if they stay within \`--max-cost\`. A part or a merge of a proven
change doesn't need that flag either, but is recorded as unproven.

A training with the gate \`rules\` ends with a lean and a full text ([concepts](concepts.md#a-rules-worth)). The one that isn't offered doesn't have a
verdict. You can still adopt it with \`whetstone adopt --lean <run>\` or \`--full <run>\`, as unproven.

A training also measures a *one-shot rewrite*: the skill as the optimizer writes it in one go from the first failures. If it passes more
test tasks than the text from the search, the result says so first. To see it, run \`whetstone diff --one-shot <run>\`. To adopt exactly the text that was
measured, run \`whetstone adopt --one-shot <run>\`. It's always recorded as unproven, because it was chosen by one trial per test task.
If it did no better, or a guard refuses its text, \`adopt --one-shot\` refuses and explains why.

## From rollouts to a verdict

1. **Pairs.** Both skills run the same task and trial side by side. All tasks get their first trial before any gets a second.
2. **Units.** A unit is a task, a \`group\` of tasks, or a cluster of near-duplicates, and counts once. Repeated answers to one task
   never count as several tasks.
3. **The test** is an exact sign-flip test. If the skills were the same, each unit's difference could just as well have had the other sign. The p-value is the share of all
   sign assignments that give a difference at least as large. It's one-sided, computed once for *better* and once for *worse*, each with
   its own threshold, and needs at least ${fewestForProof} units. Below ${fewestTasks} units, a test over trials at the same thresholds may follow. Its result applies to these tasks only.
4. **The threshold.** A first question on a file of tasks claims at ${percent(firstBar, 1)}. The threshold for *better* falls with every further text on the same tasks
   ([below](#what-the-same-tasks-can-still-show)), so ten runs on one file aren't ten lottery tickets.
5. **The interval** contains every shift that neither of two such tests would reject. It's at least as wide as Student's t interval with two invented
   tasks added. Every interval in Whetstone is a ${levelText} interval: of a verdict, a cost, a score or a rule. The verdict is read from p and its
   threshold, not from the interval. At a first question, a p between ${percent((1 - shownLevel) / 2, 1)} and ${percent(firstBar, 1)} is a *better* whose interval just contains zero. For later questions, the threshold for
   *better* is lower, so the verdict can be *not proven* even though the interval excludes zero.
6. **Possible losses.** Each verdict names the worst group of tasks, with a bound corrected for the number of groups. A group is a \`type\` of
   tasks, or a \`group\` if no task has a type. Without groups, it says how many tasks like these could get worse.

For example, ${quote(
    claimSentence(
      claimVerdict(
        [...times(10, { incumbent: [0], candidate: [1] }), ...times(5, { incumbent: [1], candidate: [1] })],
        { alpha: firstBar },
      ),
      { asked: { read: 1 } },
    ),
  )}

A missing result is never a score. Replies that are cut off, empty or unusable are reported as such. If checks pass on an empty
answer, or a [judge](evals.md#does-the-judge-agree-with-you) wasn't calibrated, nothing is claimed from them. If the judge is from the optimizer's family or
provider, the verdict says so, because models favor text by their own kind.

## Assumptions behind "exact"

- **Gains and losses are equally likely.** With equally good skills, a task must be as likely to rise by some amount as to fall by it. Then p is exact. This
  is true if both skills behave alike on each task. If effects differ between tasks and cancel out on average, it's an assumption. It's nearly right for
  pass/fail scores, and can be far off for graded ones: see [below](#how-often-it-is-wrong).
- **Tasks are drawn alike.** A verdict about tasks like these applies to tasks that come from the same source in the same way. It says nothing about
  other kinds of tasks.
- **Units are independent.** Tasks that rise and fall together must share a \`group\`.
- **Scores are rounded** to steps of 1/${gridSteps} before the test. Means and differences are reported as scored.
- **Questions on the same tasks are dependent.** So what they spend is added up. The sum is a bound, however the questions are related.
- **No difference and not worse** use a betting test instead. A capital grows while the mean stays within the margin. By luck it reaches 1/threshold at most as
  often as the threshold says. This doesn't need symmetry, only tasks drawn alike.

## What the same tasks can still show

Each text that you compare on the same tasks is one more chance to look better by luck. So each file of tasks has one error budget, the *account*. It's shared by \`train\`, \`compare\`,
\`eval --baseline\`, \`pr\`, \`prune\` and the vitest matchers. All questions together have a chance of ${percent(alpha)} for a false *better*.
Three fifths go to the first question. Two thirds of the rest go to the next ten together, two thirds of what's left then to the ten after
those, and so on. Nine tenths of each share are for the first look at a question.

| question on these tasks | threshold for *better* | threshold for *worse* |
|---|---|---|
${questionRows()}

Every verdict names its place: "The 12th text compared on these tasks in this journal."

- *Better* and *no difference* spend from the account, and so does *not worse* for a pruning. *Worse* is a warning: its threshold is the same for every question.
- The same two texts are one question, however often you ask and in whichever order. More trials of them are another look, and all
  looks share the question's budget.
- \`whetstone compare a b c d\` is one question about three texts. All of them are tested with the same random signs, and the largest difference
  counts (max-T), so texts that behave alike cost each other little. Each text is still paired with \`a\` separately.
- A text that hasn't changed since its last claim spends nothing when you test it with a new model.
- Near-duplicates count as the same task: one more word in a longer task doesn't make it new. A task of fewer than eight words is new if a word changes.
- New tasks refill the account by their share, if the claim reads them. Add tasks to get more out of a file.
- The account is in the journal: in your state folder, or in a shared PostgreSQL. Deleting \`.whetstone\` doesn't reset it.
- In CI, questions never end. So \`pr\` and the matchers use a memory that fades: an earlier question counts half after ${halfLife} more. The threshold for
  *better* then varies between ${thresholdOf(12)} and ${thresholdOf(2)}. Over a long time a false *better* will occur, but the remembered questions never have more than ${percent(alpha)} in all.
- A lower threshold needs more evidence. By default, \`train\` and \`compare\` run enough trials for 80% power at +20 points
  with the remaining threshold. Set \`--trials\` to override this. The command \`pr\` doesn't do it, because it looks for losses.

\`npm run -s proof compare\` measures this on simulated files.

## Answers that know nothing

An answer can pass without using anything from the task. Every verdict measures two kinds, without a model call.

**Joined answers.** "bug feature question docs" passes every \`contains\` check of a set of labels. The checks still count, but the claim is
withheld if, on half of the tasks or more, the later skill's reply

- lists at least two, and more than half, of the values that these tasks expect, or
- is always the same reply and passes whichever value is expected.

The values come from the tasks' own \`contains\`, \`icontains\` and \`regex\` checks, and each check decides whether a reply contains its value. A value
that is only a part of another one isn't listed: "invalid" doesn't list "valid", and "not spam" doesn't list "spam". "valid or invalid" lists
both. The checks \`exact\`, \`answers\`, \`number\` and \`starts-with\` read one answer, so a reply can't list two. A model that does tell the values
apart also repeats the same reply, and its errors may pass a loose check. So the second rule applies only if the reply passes for other values at
least half as often as chance would.

An honest explanation that names both labels ("this isn't spam, it is ham") counts as a list. Its check would also have passed the opposite,
so it measured nothing on that task. Ask for one answer and check all of it: \`exact\`, \`answers\`, \`json-schema\`, or a \`regex\` from \`^\` to \`$\`.
The verdicts *worse*, *lower* and *undecided* don't change. A withheld claim passes with \`--fail-on worse\` and fails with \`not-better\`. To adopt it, you need \`--unproven\`.

**Constant answers** are baselines that ignore the task: the most frequent value, another task's answer, a reply of either skill, or a text such as \`{}\`. Each is
given to every task, and the best score is printed as *Best constant answer*. Joined answers don't count as constants. A constant
never withholds a claim, but *better* requires that the later skill scores above it on the same tasks. Otherwise the verdict is *not proven*.
If all tasks expect the same words, such as one form of greeting, a fixed answer passes them all. The skill is supposed to teach that answer,
so the figure is printed but doesn't change the verdict.

The best constant is a lower bound: it's found among at most 40 texts of each source, not among all texts. It leaves out tasks that need a judge, a
grader or a function of yours, and the sentence gives their number. Triggers, your own environments and nights don't have this figure.
With \`--json\`, the figures are in \`claim.constant\` and \`claim.joined\`, and \`claim.reason\` is \`joined-answers\` or \`constant-answer\`.

## How often it is wrong

Measured on simulated targets with pass/fail scores and equally good skills, at the threshold of a first question:

![Share of false "better" by number of test tasks and trials: every cell lies below ${percent(firstBar, 1)}.](./pictures/false-claims.svg)

This is true for pass/fail scores, and for related tasks if you declare them with \`group\`. It isn't true for:

- **Graded scores that fall on a few tasks.** Suppose a skill gains 5 points on 90% of the tasks and loses 45 on the others. Its mean gain is zero, but it's
  still called *better* in ${betterShares()}. Most of these samples don't contain any of the
  tasks that lose, so the verdict can't name one. Below ${fewGraded} units, a *better* or *worse* on graded scores therefore says how many tasks like these could still
  move the other way. That is ${couldFall(12)} if none of 12 did, ${couldFall(20)} of 20, ${couldFall(29)} of 29. This bound is exact and doesn't need symmetry.
- **Groups that aren't declared.** Tasks that rise and fall together then count as separate tasks, and false claims become more frequent.

Whole runs, including the search, were last simulated before the gate \`rules\` existed. \`npm run -s proof claims\` still has to be rerun.

## Gains it can find

![How often a true gain is called better, by its size and the number of test tasks.](./pictures/power.svg)

Before you spend anything, \`whetstone plan\` computes this power for your tasks. It shows two cases with the same mean gain. In the first, all tasks share the gain. In the
second, it comes from some topics: tasks that mostly failed now pass, and the others don't change. The second is found less often, because a sample may contain few of these
topics. More tasks help with that; more trials don't. For a first question, with pass/fail scores around 50% where two trials differ in ${percent(assumedFlipRate)} of cases:

| test tasks × trials | gain | found if all tasks share it | found if some topics have all of it |
|---|---|---|---|
${powerRows()}

The command \`npm run generate\` draws both plots from the [results](results.md) of proof \`gate\`. They
come from scripted worlds, where the truth is known. [Evidence](evidence.md) explains what such figures can't show.

[Decision 3](decisions/0003-search-and-claim.md) explains why search and claim are separate, and [decision 10](decisions/0010-pairs.md) why we use pairs.
`;
}

const alpha = defaultOf(gateSettings.sealedAlpha);

/** The threshold of a first question. */
const firstBar = barOf(alpha);

const percent = (share: number, digits = 0): string => `${(100 * share).toFixed(digits)}%`;

const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

const quote = (text: string): string => `when 10 of 15 tasks rise and none falls:\n\n> ${text}`;

/** A row for every verdict. The type of `meanings` ensures that none is missing. */
function wordTable(): string {
  const rows = Object.entries(meanings).map(
    ([word, meaning]) => `| **${verdictWords[word as VerdictWord].word}** | ${meaning} |`,
  );
  return [
    "| word | meaning |",
    "|---|---|",
    ...rows,
    "| **drift** | Added to another word: the provider changed while the pairs were run. |",
    "| **unverified** | `--gate off`: nothing was checked. |",
  ].join("\n");
}

const meanings: Readonly<Record<VerdictWord, string>> = {
  better:
    "An exact test over tasks found a gain, on tasks that neither the optimizer nor the gate has seen. It applies to tasks like these.",
  worse: "The same test found a loss.",
  higher: `Fewer than ${fewestTasks} test tasks, or tasks that were used to make one of the skills: a gain on these tasks only. Never a proof.`,
  lower: "The same for a loss.",
  "no-difference":
    "A bound over tasks rules out a mean difference of 10 points or more in either direction, on tasks like these.",
  even: "The interval lies within 10 points, but the bound over tasks doesn't. It applies to these tasks only and is never a proof.",
  "not-proven": "Inconclusive: the difference could be chance. Nothing more is claimed.",
  "not-worse":
    "For a pruned skill: a bound over tasks rules out a loss of more than the margin, on tasks like these.",
  "no-loss":
    "For a pruned skill: such a loss is ruled out on these tasks only. Never a proof. With few test tasks, nothing stronger can be shown.",
  withheld:
    "The later skill's replies list all options, and the checks pass them, so nothing is claimed. See [below](#answers-that-know-nothing).",
  undecided: "Some results are missing, and they could still change the verdict.",
  "not-tested": "No claim was made, because there isn't a test split or it wasn't read.",
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

/** The exact chance of a false *better*, summed over the number of losing tasks: +5 points on 90% of all tasks, −45 on the others. */
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

/** The share of tasks that could still fall if none of this many did. */
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
