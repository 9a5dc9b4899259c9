import type { Config, Task } from "../../src/index.ts";
import { seededRandom, shuffle } from "../../src/testing/index.ts";
import type { TaskSet } from "./four-runs.ts";

/** What the skill says before training. */
const seedSkill = `# Complaints

Say whether the message of a customer is a complaint. Answer Yes or No.
`;

/** The messages with their skill, and the models that the config names. */
export const complaintSet = (seed: number, config: Config): TaskSet => ({
  name: "complaints",
  cwd: process.cwd(),
  config: {
    ...config,
    seed,
    skill: { main: "SKILL.md", files: { "SKILL.md": seedSkill } },
    tasks: complaintTasks(seed),
  },
});

const things = ["lamp", "chair", "desk", "kettle", "jacket", "tent", "clock", "pillow", "mug", "shelf"];

/** Sixty messages, half of them complaints: each sentence once, so that no two tasks are one. */
function complaintTasks(seed: number): readonly Task[] {
  const random = seededRandom(seed, "complaints", "m");
  const rows = [
    ...praise.map((text) => ({ text, answer: "No" })),
    ...faults.map((text) => ({ text, answer: "Yes" })),
  ];
  return shuffle(rows, random).map(({ text, answer }, at) => {
    const message = text.replace("%", things[Math.floor(random() * things.length)] ?? "");
    const id = `m${String(at + 1).padStart(2, "0")}`;
    return { id, input: `A customer writes: "${message}"\nIs the customer unhappy?`, answers: [answer] };
  });
}

const praise: readonly string[] = [
  "Very happy with the %, thank you.",
  "The % is even nicer than in the picture.",
  "I was not sure at first, but the % is excellent.",
  "The % survived a fall without a scratch.",
  "I could not be happier with the %.",
  "Thank you for the quick delivery of the %.",
  "My daughter smiles whenever she sees the %.",
  "The % fits exactly where I wanted it.",
  "Five stars for the %.",
  "The % does what it promises.",
  "Friends keep asking where I got the %.",
  "After a year the % is as good as on the first day.",
  "What a beautiful %.",
  "The % was easy to set up.",
  "I recommend the % to everybody.",
  "The colour of the % is just right.",
  "For this price the % is a bargain.",
  "The % came with a nice card, thank you.",
  "Well done, the % is solid and light.",
  "I ordered a second % for my mother.",
  "The % has never let me down.",
  "The % feels soft and smells fresh.",
  "Your advice about the % was spot on.",
  "The % came one day before it was due.",
  "I have nothing but praise for the %.",
  "The % is quiet and pretty.",
  "We use the % on every holiday.",
  "The new % is a joy.",
  "Everything about the % is fine.",
  "The % surprised me, in the best way.",
];

const faults: readonly string[] = [
  "Terrible %, I want my money back.",
  "I waited four weeks for the % and it was the wrong colour.",
  "Do not buy the %, it is a waste of money.",
  "I had to repair the % myself.",
  "The % was great until it caught fire.",
  "Half of the parts of the % were missing.",
  "The % has a crack on one side.",
  "You sent me somebody else's %.",
  "The % makes a horrible noise.",
  "This is the third % that fails.",
  "The % came without a manual and does not fit.",
  "I am very disappointed with the %.",
  "The paint of the % came off on my hands.",
  "Your courier threw the % over the fence.",
  "The % is not the one in the picture.",
  "My % leaks, and your hotline hangs up on me.",
  "The % fell apart in my hands.",
  "I have asked three times for a refund of the %.",
  "The % was dirty and had been used before.",
  "The edges of the % are so sharp that I cut myself.",
  "The % is ugly and far too expensive.",
  "The % arrived in pieces.",
  "You promised the % for Monday, and it is Friday.",
  "The % gets so hot that it burns.",
  "Worst % I have ever seen.",
  "The screws of the % do not hold.",
  "The % lost its shape after one week.",
  "I regret that I bought the %.",
  "The % turned itself off and never came back.",
  "The box was open, and the % was gone.",
];
