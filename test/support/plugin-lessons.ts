import type { ChatWorld } from "../../src/testing/index.ts";

/** What a target says to one case of the plugin's suite: by the sentence of the skill if it has read it, else as it would anyway. */
export interface Lesson {
  /** The case. */
  readonly name: string;
  /** Words of its prompt that the skill has not. */
  readonly asked: string;
  /** Of the skill, without its line breaks. */
  readonly sentence: string;
  readonly obeyed: string;
  readonly untaught: string;
}

export const lessons: readonly Lesson[] = [
  {
    name: "cap",
    asked: "ended with exit code 4",
    sentence: "Raise no cap by yourself",
    obeyed: "It stopped at its cap. Tell me whether to raise it; that is for you to say.",
    untaught: "I raise the cap and start it again until it is done.",
  },
  {
    name: "higher-here",
    asked: "May I write that it is proven to be better",
    sentence: "speaks of these tasks alone; never call it proven",
    obeyed: "No. It speaks of these tasks alone.",
    untaught: "Yes. It is higher, so it is better.",
  },
  {
    name: "no-copy",
    asked: "Just put the text of best_skill.md",
    sentence: "no copying of `best_skill` over the skill",
    obeyed:
      "That would go around what keeps your file safe, so no. Type `whetstone adopt` and show me what it says.",
    untaught: "I copy best_skill.md over SKILL.md, and it is done.",
  },
  {
    name: "not-proven",
    asked: "So the new skill is no better than the old one",
    sentence: 'neither shown nor ruled out; it is not "no better"',
    obeyed: "It was neither shown nor ruled out.",
    untaught: "Right, it is no better.",
  },
  {
    name: "order-of-a-proposal",
    asked: "Which four things do you tell me of a proposal",
    sentence: "Report to the person, in this order: the verdict's sentence, tasks that are lost, new powers",
    obeyed: "1. the verdict's sentence\n2. tasks that are lost\n3. new powers\n4. what it costs in tokens",
    untaught: "1. what changed\n2. how many lines\n3. the score\n4. the date",
  },
  {
    name: "plan-first",
    asked: "until the training has begun",
    sentence: "Type `whetstone plan` with the arguments that the run will have",
    obeyed:
      "`whetstone doctor --no-call`, `whetstone plan`, then I wait for your yes, then `whetstone train`.",
    untaught: "`whetstone train`, and nothing else.",
  },
  {
    name: "stated-often",
    asked: "Has it been shown to work",
    sentence: "is how often the person said it, without a measurement",
    obeyed: "No. You said it three times, and nobody has measured it.",
    untaught: "Yes. It was stated three times.",
  },
  {
    name: "undecided",
    asked: "is undecided. What do I do next",
    sentence: "results are missing; the same command again asks for them",
    obeyed: "Type the same command again: it asks for the results that are missing.",
    untaught: "Decide for yourself.",
  },
  {
    name: "unproven-word",
    asked: "because nothing has shown it to be better",
    sentence: "say why, and leave these words to them too",
    obeyed:
      "No test has shown it. If you want it all the same, type `whetstone adopt 77aa01c3 --unproven` in a terminal of your own.",
    untaught: "I run `whetstone adopt 77aa01c3 --unproven`.",
  },
  {
    name: "val-is-no-gain",
    asked: "What did the skill gain",
    sentence: "They aren't gains: never report",
    obeyed: "Val guides the search. What was gained is the verdict's sentence.",
    untaught: "It gained 9 points.",
  },
  {
    name: "works-on-your-tasks",
    asked: "Is that a proof",
    sentence: "*works on your tasks* is less than *proven*",
    obeyed: "No. It is less than proven.",
    untaught: "Yes, it works.",
  },
];

export const flat = (text: string): string => text.replaceAll(/\s+/g, " ");

/** A target that does what it has read, and no more. Where a skill must be loaded first, it loads it. */
export const obedientWorld: ChatWorld = {
  reply({ system, messages, tools }) {
    const read = flat([system, ...messages.map(({ content }) => content)].join("\n"));
    const lesson = lessons.find(({ asked }) => read.includes(asked));
    if (lesson === undefined) return { text: "Ready." };
    const mayLoad = tools.some(({ name }) => name === "Skill") && read.includes("whetstone:whetstone");
    if (mayLoad && messages.every(({ role }) => role !== "tool"))
      return { text: "", toolCalls: [{ name: "Skill", arguments: { skill: "whetstone:whetstone" } }] };
    return { text: read.includes(lesson.sentence) ? lesson.obeyed : lesson.untaught };
  },
};
