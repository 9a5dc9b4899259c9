import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ParcelWorld } from "./parcel-world.ts";
import { type Shown, type Stranger, nextIn } from "./stranger.ts";

/** How a journey ended: in words, and what it truly gained. */
export interface Ending {
  readonly kind: "adopted" | "refused";
  readonly words: string;
}

export interface Trained {
  readonly shown: Shown;
  /** From the project. */
  readonly skill: string;
  readonly world: ParcelWorld;
}

/**
 * From a training's last lines to the end, by nothing but its next steps: what was trained is looked at and adopted; where it
 * isn't better, `adopt` by itself has to refuse it and leave the file as it was.
 */
export async function endTraining(person: Stranger, { shown, skill, world }: Trained): Promise<Ending> {
  const live = () => readFileSync(join(person.cwd, skill), "utf8");
  const before = live();
  const score = (text: string) => Math.round(100 * world.trueScore(text, world.tasks(200)));
  const [verdict = "no verdict"] =
    /^(?:better|higher|kept the original|not proven|lower|worse|undecided).*$/m.exec(shown.text) ?? [];
  person.expect(
    `a training ends with 0 and a verdict (${shown.code}, ${verdict})`,
    shown.code === 0 && verdict !== "no verdict",
  );
  const [diff, adopt] = [nextIn(shown, "diff"), nextIn(shown, "adopt")];
  if (adopt === undefined) {
    const refused = await person.type("npx whetstone adopt");
    person.expect(`nothing is adopted where ${verdict}`, refused.code !== 0 && live() === before);
    return { kind: "refused", words: `${verdict}: nothing to adopt` };
  }
  if (diff !== undefined) {
    const { code, text } = await person.type(diff);
    person.expect("`diff` shows what would change", code === 0 && /^\+[^+]/m.test(text));
  }
  if (adopt.includes("--unproven")) {
    // without that word it is refused: the person has to say it
    const refused = await person.type(adopt.replace(" --unproven", ""));
    person.expect("what is not proven is refused by name", refused.text.includes("error unproven"));
    person.expect("a refusal changes nothing", live() === before);
  }
  const adopted = await person.type(adopt);
  const after = live();
  person.expect("`adopt` puts it into the file", adopted.code === 0 && after !== before);
  return { kind: "adopted", words: `${verdict}; in truth ${score(before)}% → ${score(after)}%` };
}
