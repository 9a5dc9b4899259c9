// A household with many turns, in the shape of ALFWorld: commands, what can be seen, success at the end.
// The pattern for any game or dialogue: an environment is a name, a version and `run`.
import type { Environment, Message } from "../../src/ports.ts";
import { learn, toyOptimizer, toyTarget } from "./toy-models.ts";

interface House {
  readonly want: string;
  readonly at: string;
}

const places = ["drawer", "shelf", "bin", "sofa", "fridge", "sink"];
const houseOf = (metadata: unknown): House => (metadata as { readonly house: House }).house;

const household: Environment = {
  name: "household",
  version: "1",
  // the game is a pure function, so only the model's calls are kept in the journal
  throughContext: true,
  async run(task, skill, { model }) {
    const { want, at } = houseOf(task.metadata);
    const commands = [...places.map((place) => `open ${place}`), `take ${want}`].join("; ");
    const talk: Message[] = [{ role: "user", content: `${task.input}\nCommands: ${commands}` }];
    let here = "";
    for (let turn = 0; turn < 4; turn += 1) {
      const { text } = await model.generate({ system: skill.files[skill.main] ?? "", messages: talk });
      const command = text.trim().toLowerCase();
      talk.push({ role: "assistant", content: text });
      if (command.startsWith("open ")) here = command.slice(5);
      if (command === `take ${want}` && here === at)
        return { kind: "scored", hard: 1, soft: 1, feedback: "done", conversation: talk };
      talk.push({ role: "user", content: here === at ? `You see: ${want}.` : "Nothing useful here." });
    }
    const feedback = `the ${want} was in the ${at}, and the steps ran out`;
    return { kind: "scored", hard: 0, soft: here === at ? 0.5 : 0, feedback, conversation: talk };
  },
  reference: (task) => `It was in the ${houseOf(task.metadata).at}.`,
};

const rows = Array.from({ length: 120 }, (_, at) => {
  const isFood = at % 3 !== 0;
  const want = `${isFood ? "apple" : "key"}${at}`;
  return {
    id: String(at),
    input: `You are in a kitchen. Find the ${want}.`,
    metadata: { house: { want, at: isFood ? "fridge" : "drawer" } },
  };
});

/** Opens one place after the other, until it is told where to begin. */
const target = toyTarget((system, { messages }) => {
  const [, want = ""] = /Find the (\w+)\./.exec(messages[0]?.content ?? "") ?? [];
  if (messages.at(-1)?.content.startsWith("You see")) return `take ${want}`;
  const opened = messages.filter(({ role }) => role === "assistant").length;
  if (opened === 0 && /sofa/i.test(system)) return "open sofa";
  if (opened === 0 && /fridge/i.test(system) && want.startsWith("apple")) return "open fridge";
  return `open ${places[opened]}`;
});

await learn({
  skill: {
    main: "SKILL.md",
    files: { "SKILL.md": "# Household\n\n- Open places until you find the thing.\n" },
  },
  tasks: { train: rows.slice(0, 40), val: rows.slice(40, 80), test: rows.slice(80) },
  environment: household,
  target,
  optimizer: toyOptimizer([
    "Food is kept in the fridge: open it first.",
    "Look at the sofa before anything else.",
  ]),
});
