import { isTaken, writtenWords } from "../../core/rules/rule-words.ts";
import { powerNames } from "../../core/guard/power.ts";
import { type Decisions, type Review, isTakenUnasked } from "../../core/offer/review.ts";
import { oneLine } from "../../core/one-line.ts";
import type { Decision, Rule } from "../../core/rules/rule.ts";
import { adoptOffer, alsoForLines } from "../../run/offer/adopt.ts";
import { chooseRules } from "../../run/offer/choose.ts";
import { diffOffer } from "../../run/offer/diff-proposal.ts";
import type { FinishedRun } from "../../run/offer/proposal.ts";
import { requireWord } from "../../run/word.ts";
import { plural, paintLine } from "../../show/format.ts";
import type { Io, Prompter } from "../../show/io.ts";
import { headLines, ruleLines } from "../../show/review-lines.ts";

/** Goes through a proposal with a person: rule by rule, then the whole change, then the final question. */
export async function reviewTogether(
  run: FinishedRun,
  review: Review,
  io: Io,
  prompt: Prompter,
): Promise<void> {
  const { id, rules } = review;
  io.print(headLines(review).join("\n"));
  const decisions = new Map<string, Decision>();
  for (const [at, rule] of rules.entries()) {
    io.print(["", ...ruleLines(rule, at + 1, io.columns)].join("\n"));
    const decided = await askRule(rule, io, prompt);
    if (decided === "quit") {
      await keepLeftOut(run, decisions);
      return io.print("\nNothing was adopted; your drops and rejections are kept.");
    }
    decisions.set(rule.id, decided);
  }
  const taken = [...decisions.values()].filter(isTaken).length;
  if (taken === 0) {
    await keepLeftOut(run, decisions);
    return io.print("\nYou took no rules, and no file was changed.");
  }
  const chosen: Decisions = Object.fromEntries(decisions);
  await chooseRules(run, chosen);
  const { diff, live, state, powers } = await diffOffer(run, { decisions: chosen });
  io.print(["", ...diff.trimEnd().split("\n").map(paintLine), ""].join("\n"));
  const asked = powers.filter(({ rank }) => rank === "ask");
  for (const { kind, item, line } of asked) {
    const isSeen = await confirm(
      `Line ${line} ${powerNames[kind]}: ${oneLine(item)}\nIs that intended?`,
      prompt,
    );
    if (!isSeen) return io.print(`Nothing was adopted. Drop the rule that adds it: whetstone review ${id}`);
  }
  await requireWord(`whetstone adopt ${id}`);
  const merge = state.kind === "changed";
  const question = merge
    ? `${live.path} has changed since. Write ${plural(taken, "rule")} into its current text?`
    : `Write ${plural(taken, "rule")} into ${live.path}?`;
  if (!(await confirm(question, prompt)))
    return io.print(`Nothing was adopted. Your choices are kept: whetstone adopt ${id}`);
  const acknowledge = asked.map((power) => power.id);
  const adopted = await adoptOffer(run, { decisions: chosen, unproven: true, merge, acknowledge });
  io.print([...adopted.lines, ...alsoForLines(adopted)].join("\n"));
}

/** Drops are kept even if nothing is adopted. */
async function keepLeftOut(run: FinishedRun, decisions: ReadonlyMap<string, Decision>): Promise<void> {
  const left = [...decisions].filter(([, decision]) => !isTaken(decision));
  if (left.length > 0) await chooseRules(run, Object.fromEntries(left));
}

async function askRule(rule: Rule, io: Io, prompt: Prompter): Promise<Decision | "quit"> {
  const { wordings: [own] = [], sameAs: [other] = [] } = rule.wish ?? {};
  const question = [
    "[a]ccept",
    ...(own === undefined ? [] : ["in your [o]wn words"]),
    "[e]dit",
    ...(other === undefined ? [] : ["the [s]ame as the other"]),
    "[d]rop for now",
    "[r]eject for good",
    "[q]uit > ",
  ].join("  ");
  for (;;) {
    const said = await prompt.ask(question);
    switch (said?.trim().toLowerCase().charAt(0)) {
      case undefined:
      case "q":
        return "quit";
      case "a":
        if (isTakenUnasked(rule)) return { deed: "accept" };
        if (await confirm(`This rule is ${rule.label}. Accept it anyway?`, prompt)) return { deed: "accept" };
        break;
      case "o":
        if (own !== undefined) return { deed: "edit", text: own };
        break;
      case "s":
        if (other !== undefined) return { deed: "same", as: other.wish };
        break;
      case "d":
        return { deed: "drop" };
      case "e": {
        const words = writtenWords(rule.edit);
        if (words !== undefined) return { deed: "edit", text: prompt.edit(words) };
        io.print("This rule deletes something, so there's nothing to edit.");
        break;
      }
      case "r": {
        const reason = (await prompt.ask("Why not? > "))?.trim() ?? "";
        if (reason === "") break;
        return { deed: "reject", reason };
      }
      default:
        break;
    }
  }
}

const confirm = async (question: string, prompt: Prompter): Promise<boolean> =>
  /^y/i.test((await prompt.ask(`${question} [y/N] > `))?.trim() ?? "");
