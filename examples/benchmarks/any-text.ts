// Any text and one function: what is trained need not be a skill, and what scores it need not be a model.
// Here the text is a table of routes, and the function counts where a parcel ends up.
import type { Environment } from "../../src/ports.ts";
import { learn, toyOptimizer, toyTarget } from "./toy-models.ts";

interface Parcel {
  readonly country: string;
  readonly kilograms: number;
}

/** Your one function: how good is this text on this example, from 0 to 1, and why? */
function evaluate(
  text: string,
  { country, kilograms }: Parcel,
): { readonly score: number; readonly why: string } {
  const routes = Array.from(text.matchAll(/^- (\w+) up to (\d+) kg: (\w+)$/gm), ([, to, most, by]) => ({
    to,
    most,
    by,
  }));
  const route = routes.find(({ to, most }) => to === country && kilograms <= Number(most));
  const best = kilograms > 20 ? "freight" : country === "DE" ? "post" : "air";
  return {
    score: route?.by === best ? 1 : 0,
    why: `${kilograms} kg to ${country} went by ${route?.by ?? "nothing"}, best is ${best}`,
  };
}

const anyText: Environment = {
  name: "any-text",
  version: "1",
  throughContext: true,
  async run(task, { main, files }) {
    const { score, why } = evaluate(files[main] ?? "", task.metadata?.["parcel"] as unknown as Parcel);
    const conversation = [
      { role: "user" as const, content: task.input },
      { role: "assistant" as const, content: why },
    ];
    return { kind: "scored", hard: score, soft: score, feedback: why, conversation };
  },
};

const rows = Array.from({ length: 90 }, (_, at) => {
  const parcel = { country: ["DE", "FR", "IT"][at % 3] ?? "", kilograms: 1 + ((at * 17) % 40) };
  return {
    id: String(at),
    input: `Parcel ${at}: ${parcel.kilograms} kg to ${parcel.country}`,
    metadata: { parcel },
  };
});

await learn({
  skill: { main: "routes.md", files: { "routes.md": "# Routes\n\n- DE up to 20 kg: post\n" } },
  tasks: { train: rows.slice(0, 30), val: rows.slice(30, 60), test: rows.slice(60) },
  environment: anyText,
  // nobody is asked: the function is all
  target: toyTarget(() => ""),
  baselines: false,
  optimizer: toyOptimizer(["DE up to 99 kg: freight", "FR up to 20 kg: air", "IT up to 20 kg: post"]),
});
