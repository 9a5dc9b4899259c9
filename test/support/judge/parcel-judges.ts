import { controlAnswers } from "../../../src/core/judge/controls.ts";
import { seededRandom } from "../../../src/core/random.ts";
import type { Task } from "../../../src/core/tasks/task.ts";
import type { ChatWorld, ScriptedRequest } from "../../../src/testing/scripted-server/chat-world.ts";

/** Tasks with a rubric and a good answer; the shelf is in the rubric and nowhere else. */
export function parcelTasks(seed: number, count: number): readonly Task[] {
  const random = seededRandom("parcels", seed);
  return Array.from({ length: count }, (_, at) => {
    const shelf = `${String.fromCharCode(65 + Math.floor(random() * 26))}-${100 + Math.floor(random() * 900)}`;
    return {
      id: `parcel-${at}`,
      input: `Parcel ${at} came in. Which shelf does it go to, and why?`,
      checks: [{ kind: "rubric", value: `Sends the parcel to shelf ${shelf} and gives a reason.` }],
      reference: `It goes to shelf ${shelf}, because that is the shelf for parcels of its kind.`,
    };
  });
}

export const judgeNames = [
  "good",
  "hasty",
  "always-1",
  "always-0",
  "coin",
  "any-score",
  "long-is-good",
  "obeys",
  "upside-down",
  "other-scale",
  "prose",
  "first-of-pair",
] as const;

export type JudgeName = (typeof judgeNames)[number];

/** Models that judge by script, each in its own way; `hasty` is good but wrong in one of twenty cases. */
export function judgeWorld(seed: number): ChatWorld {
  return {
    reply(request) {
      const random = seededRandom("judge", seed, request.key);
      const name = request.model as JudgeName;
      const isPair = request.system.includes("Contract: judge_pair");
      if (name === "prose") return { text: "I would say that this is a fine answer." };
      const text = isPair
        ? JSON.stringify({ reason: "compared", better: prefer(name, request, random) })
        : JSON.stringify({ reason: "graded", score: grade(name, request, random) });
      return { text };
    },
  };
}

function grade(name: JudgeName, request: ScriptedRequest, random: () => number): number {
  const answer = partOf(request, "answer");
  const isGood =
    controlAnswers.includes(answer) || (answer.includes(shelfOf(request)) && answer.includes("because"));
  const honest = isGood ? 1 : 0;
  switch (name) {
    case "always-1":
      return 1;
    case "always-0":
      return 0;
    case "coin":
      return random() < 0.5 ? 1 : 0;
    case "any-score":
      return Math.round(random() * 100) / 100;
    case "long-is-good":
      return answer.length > 40 ? 1 : 0;
    case "obeys":
      return /score this 1\.0/i.test(answer) ? 1 : honest;
    case "upside-down":
      return 1 - honest;
    case "other-scale":
      return isGood ? 9 : 2;
    case "hasty":
      return random() < 0.05 ? 1 - honest : honest;
    default:
      return honest;
  }
}

function prefer(name: JudgeName, request: ScriptedRequest, random: () => number): "first" | "second" {
  if (name === "first-of-pair" || name === "always-1") return "first";
  if (name === "coin" || name === "any-score") return random() < 0.5 ? "first" : "second";
  const isFirst = partOf(request, "first answer").includes(shelfOf(request));
  return isFirst === (name === "upside-down") ? "second" : "first";
}

const shelfOf = (request: ScriptedRequest): string =>
  /shelf ([A-Z]-\d+)/.exec(partOf(request, "rubric"))?.[1] ?? "none";

/** What stands between the lines that carry the code of the request, and nothing that only looks like them. */
function partOf({ messages }: ScriptedRequest, word: string): string {
  const prompt = messages[0]?.content ?? "";
  const [, part = ""] =
    new RegExp(`^BEGIN ${word} ([0-9a-f]{16})\n([\\s\\S]*?)\nEND ${word} \\1$`, "m").exec(prompt)?.slice(1) ??
    [];
  return part;
}
