import type { Rule, Wished } from "../../core/rules/rule.ts";
import { oneLine } from "../../core/one-line.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";
import type { TaskDiagnostic } from "../night/night-types.ts";
import { memoryText } from "./compare-memory.ts";
import { type Wish, conversationsOf, firstWording } from "./wish.ts";
import { dayOf, saidText, wishText } from "./wish-words.ts";

export interface ReviewWishInput {
  readonly wish: Wish;
  /** All wishes, to find those that may be the same. */
  readonly wishes: readonly Wish[];
  /** The tasks of tonight and of earlier nights. */
  readonly tasks: readonly MinedTask[];
  /** Tonight's answers with this wish in the text. */
  readonly answers: readonly TaskDiagnostic[];
}

/** A wish as shown to a person for a decision. */
export function reviewWish({ wish, wishes, tasks, answers }: ReviewWishInput): Wished {
  const example = exampleOf(wish, tasks, answers);
  const sameAs = wish.sameAs.flatMap((id) => {
    const other = wishes.find((one) => one.id === id);
    return other === undefined ? [] : [{ wish: id, text: wishText(other) }];
  });
  return {
    id: wish.id,
    // it has changed, and nobody has decided on it since
    sentence: [saidText(wish), ...(wish.turnedAt === wish.state.at ? [wish.state.reason] : [])].join(" "),
    said: wish.said.map(({ text, at, agent }) => ({ text, date: dayOf(at), agent })),
    ...(wish.isOwn === undefined ? {} : { own: wish.isOwn }),
    wordings: [...new Set(wish.wordings.slice(1).map(({ text }) => text))].filter(
      (text) => text !== firstWording(wish)?.text,
    ),
    ...(example === undefined ? {} : { example }),
    ...(wish.memory === undefined ? {} : { memory: wish.memory.map(memoryText) }),
    sameAs,
  };
}

/** The conversations where it was said, oldest first, with the person's words. */
export const wishConversations = (wish: Wish): Rule["provenance"]["conversations"] =>
  conversationsOf(wish).map((id) => {
    const own = wish.said.filter(({ conversation }) => conversation === id);
    return {
      id,
      source: own[0]?.agent ?? "",
      date: dayOf(own[0]?.at ?? 0),
      words: own.map(({ text }) => text).filter((text) => text !== ""),
    };
  });

/** The latest time that the person said it after the agent had acted, and an answer with the rule if one was tried. */
function exampleOf(
  { said, tasks: own }: Wish,
  tasks: readonly MinedTask[],
  answers: readonly TaskDiagnostic[],
): Wished["example"] {
  const latest = said.findLast(
    ({ scene, text }) => text !== "" && scene !== undefined && scene.did.trim() !== "",
  );
  if (latest?.scene === undefined) return undefined;
  const tried = answers.filter(({ hard, responseHead }) => hard !== null && responseHead !== "");
  // prefer a task of its own habit, then the best score
  const [best] = tried.toSorted(
    (a, b) => Number(own.includes(b.task)) - Number(own.includes(a.task)) || (b.hard ?? 0) - (a.hard ?? 0),
  );
  const asked = tasks.find(({ task }) => task.id === best?.task)?.task.input;
  return {
    date: dayOf(latest.at),
    agent: latest.agent,
    asked: latest.scene.asked,
    did: latest.scene.did,
    said: latest.text,
    ...(best === undefined || asked === undefined
      ? {}
      : { withRule: { task: best.task, asked: oneLine(asked, 300), did: headOf(best) } }),
  };
}

const headOf = ({ responseHead, responseLength }: TaskDiagnostic): string =>
  responseLength > responseHead.length ? `${responseHead}…` : responseHead;
