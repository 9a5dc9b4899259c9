import type { Task } from "../../../src/index.ts";
import { seededRandom, shuffle } from "../../../src/testing/index.ts";

/** What the skill says before training. */
export const seedSkill = `# Complaints

Say whether the message of a customer is a complaint. Answer Yes or No.
`;

/** Sixty messages, half of them complaints: each sentence once, so that no two tasks are one. */
export const complaintTasks = (seed: number): readonly Task[] =>
  write(
    seed,
    praise.slice(heldBack),
    faults.slice(heldBack),
    ["lamp", "chair", "desk", "kettle", "jacket", "tent", "clock", "pillow", "mug", "shelf"],
    "m",
  );

/** What a server is set up with: other sentences about other things, so that nothing is tuned on the tasks. */
export const calibrationItems = (seed: number): readonly Task[] =>
  write(
    seed,
    praise.slice(0, heldBack),
    faults.slice(0, heldBack),
    ["radio", "sofa", "toaster", "backpack", "carpet", "bicycle"],
    "c",
  );

const heldBack = 10;

function write(
  seed: number,
  good: readonly string[],
  bad: readonly string[],
  things: readonly string[],
  prefix: string,
): readonly Task[] {
  const random = seededRandom(seed, "complaints", prefix);
  const rows = [
    ...good.map((text) => ({ text, answer: "No" })),
    ...bad.map((text) => ({ text, answer: "Yes" })),
  ];
  return shuffle(rows, random).map(({ text, answer }, at) => {
    const message = text.replace("%", things[Math.floor(random() * things.length)] ?? "");
    const id = `${prefix}${String(at + 1).padStart(2, "0")}`;
    return { id, input: `A customer writes: "${message}"\nIs the customer unhappy?`, answers: [answer] };
  });
}

const praise: readonly string[] = [
  "I love this %.",
  "The % works perfectly.",
  "Best % I ever bought.",
  "Great quality, the % is worth every cent.",
  "The % made my life easier.",
  "My family uses the % every day and it still looks new.",
  "No complaints about the % at all.",
  "I would buy the % again.",
  "The % arrived early and well packed.",
  "You were kind on the phone, and the % is lovely.",
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
  "The % broke after two days.",
  "I hate this %.",
  "The % never arrived.",
  "The % looks cheap and smells.",
  "The % stopped working.",
  "I expected more from the %.",
  "Nobody answered when I asked about the broken %.",
  "The % was damaged when I opened the box.",
  "The % is smaller than promised and wobbles.",
  "I paid for the % twice and want one payment back.",
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
