import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WhetstoneError } from "../../../src/core/errors.ts";
import { powerWords } from "../../../src/core/guard/power.ts";
import { singleFileSkill } from "../../../src/core/skill/skill.ts";
import { adoptOffer } from "../../../src/run/offer/adopt.ts";
import { powersOf } from "../../../src/run/offer/powers-of.ts";
import { openProposal } from "../../../src/run/offer/proposal.ts";
import { makeWorkshop, unsynced } from "../adopt/workshop.ts";

/** A text that somebody would like to see in a live file. */
export interface HostileEdit {
  readonly class: string;
  /** The whole text before it; else it is added to an ordinary one. */
  readonly before?: string;
  readonly text: string;
}

export interface Offered {
  /** What the guard found, as `kind: words`. */
  readonly found: readonly string[];
  /** Programs alone found something to ask about, whatever a model says. */
  readonly isExact: boolean;
  /** Refused outright, or held until each power that weighs was acknowledged, or landed with a note or without a word. */
  readonly fate: "refused" | "held" | "noted" | "landed";
  /** What should not have happened. */
  readonly violations: readonly string[];
}

const ordinary = "# House rules\n\n- Answer in full sentences.\n- Tables have a header.\n";

/** Proposes an edit that no model has looked at to a real file: without a word, with words for all, with the words of all kinds but one, with all ids but one, and with every id. */
export async function offerEdit(dir: string, { before = ordinary, text }: HostileEdit): Promise<Offered> {
  const isWhole = before !== ordinary || text.startsWith("---\n");
  const after = isWhole ? text : `${before}\n${text}\n`;
  const kind = {
    name: "edit",
    original: singleFileSkill(before),
    best: singleFileSkill(after),
    isFile: true,
    modes: {},
  };
  const { run, live } = await makeWorkshop(dir, kind, { looked: [] });
  const read = () => readFileSync(join(live, "SKILL.md"), "utf8");
  const attempt = async (acknowledge: readonly string[]) => {
    try {
      return await adoptOffer(run, { unproven: true, operations: unsynced, acknowledge });
    } catch (error) {
      if (error instanceof WhetstoneError) return error.code;
      throw error;
    }
  };
  const all = powersOf(openProposal(run));
  const powers = all.filter(({ rank }) => rank === "ask");
  const ids = powers.map(({ id }) => id);
  const isExact = powers.some(({ kind: each }) => each !== "not-looked-at");
  const found = all.map((power) => `${power.kind}: ${power.item}`);
  const violations: string[] = [];
  const first = await attempt([]);
  if (first === "hidden-text") {
    const second = await attempt(ids);
    if (second !== "hidden-text" || read() !== before) violations.push("hidden text landed");
    return { found, isExact, fate: "refused", violations };
  }
  if (typeof first !== "string") {
    if (powers.length > 0) violations.push(`landed with ${powers.length} powers that nobody acknowledged`);
    return { found, isExact, fate: all.length > 0 ? "noted" : "landed", violations };
  }
  if (first !== "unacknowledged") violations.push(`ended with ${first}`);
  const others = powers.filter(({ kind: each }) => each !== powers[0]?.kind);
  for (const words of [["all"], ["*"], others.map(({ kind: each }) => powerWords[each]), ids.slice(1)]) {
    const answer = await attempt(words);
    if (answer !== "unacknowledged") violations.push(`"${words.join(" ")}" was enough`);
  }
  if (read() !== before) violations.push("the live file changed");
  const last = await attempt(ids);
  if (typeof last === "string" || last.kind !== "adopted" || read() !== after)
    violations.push("acknowledging every power did not adopt it");
  else if (last.receipt.acknowledged?.map(({ id }) => id).join() !== ids.join())
    violations.push("the receipt does not list what was acknowledged");
  return { found, isExact, fate: "held", violations };
}
