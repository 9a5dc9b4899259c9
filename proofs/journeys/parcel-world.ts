import { type ChatWorld, hiddenRuleWorld } from "../../src/testing/index.ts";

/**
 * Five kinds of parcels, and one model that plays every part: parts are told apart by the contract that a prompt names.
 * A rule that names a kind and its shelf lifts that fifth of the tasks from 15% to 93%; every other rule does nothing.
 */
export function parcelWorld(seed: number) {
  const office = hiddenRuleWorld({
    seed,
    rules: 5,
    passWith: 0.93,
    passWithout: 0.15,
    useful: 0.5,
    useless: 0.5,
    harmful: 0,
  });
  const reply: ChatWorld["reply"] = (request) => {
    const contract = /^Contract: *(\w+)/m.exec(request.system)?.[1];
    if (contract?.startsWith("judge") === true)
      return { text: judge(request.messages[0]?.content ?? "", contract) };
    return office.reply({ ...request, model: contract === undefined ? "target" : "optimizer" });
  };
  return { ...office, reply };
}

export type ParcelWorld = ReturnType<typeof parcelWorld>;

/** What the author of an eval expects, in words for a judge. */
export const expectationOf = (code: string): string => `The shelf code is ${code}.`;

/** Passes an answer that has every name and number of the rubric. */
function judge(prompt: string, contract: string): string {
  const part = (word: string) =>
    new RegExp(`^BEGIN ${word} ([0-9a-f]{16})\n([^]*?)\nEND ${word} \\1$`, "m").exec(prompt)?.[2] ?? "";
  const wanted = part("rubric").match(/(?<=\s)(?:[A-Z]|[\w-]*\d)[\w-]*/g) ?? [];
  const isRight = (word: string) => wanted.length > 0 && wanted.every((name) => part(word).includes(name));
  const verdict =
    contract === "judge_pair"
      ? { better: isRight("first answer") ? "first" : isRight("second answer") ? "second" : "tie" }
      : { score: isRight("answer") ? 1 : 0 };
  return JSON.stringify({ reason: "compared with the rubric", ...verdict });
}
