import { hashJson } from "../../core/canonical.ts";
import type { Digest } from "../../core/ports/conversation.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";
import type { Heard } from "../mine/check-mined.ts";
import type { Wish, WishSentence } from "./wish.ts";

/** A sentence that doesn't belong to a wish yet. */
export interface Remark {
  readonly sentence: WishSentence;
  readonly scope: MinedTask["scope"];
  readonly skill?: string;
  /** Ids of the tasks that it was said about, sorted. */
  readonly tasks: readonly string[];
}

export interface RemarksInput {
  readonly tasks: readonly MinedTask[];
  /** The person's sentences without a task. @default none */
  readonly heard?: readonly Heard[];
  readonly conversations: readonly Pick<Digest, "id" | "source" | "endedAt">[];
  readonly wishes: readonly Wish[];
  /** When the night started, in milliseconds since the epoch: the date of sentences from a task file. */
  readonly at: number;
}

/** The sentences of a night that no wish has yet, each once, oldest first. */
export function findRemarks({
  tasks,
  heard = [],
  conversations,
  wishes,
  at,
}: RemarksInput): readonly Remark[] {
  const known = new Set(wishes.flatMap(({ said, against = [] }) => [...said, ...against].map(keyOf)));
  const forgotten = new Set(
    wishes.flatMap(({ said, against = [] }) =>
      [...said, ...against].flatMap(({ text, conversation }) => (text === "" ? [conversation] : [])),
    ),
  );
  const talks = new Map(conversations.map((digest) => [digest.id, digest]));
  const remarks = new Map<string, Remark>();
  const spoken = [
    ...tasks.flatMap(({ task, said = [], ...about }) =>
      said.map((one) => ({ ...about, one, task: [task.id] })),
    ),
    ...heard.map(({ said: one, ...about }) => ({ ...about, one, task: [] })),
  ];
  for (const { one, task, scope, skill } of spoken) {
    const key = keyOf(one);
    const talk = talks.get(one.conversation);
    // a task of earlier nights repeats its old sentences
    const isOld = talk === undefined && conversations.length > 0;
    if (known.has(key) || forgotten.has(one.conversation) || isOld) continue;
    const sentence = { ...one, at: talk?.endedAt ?? at, agent: talk?.source ?? "file" };
    const others = remarks.get(key)?.tasks ?? [];
    remarks.set(key, {
      sentence,
      scope,
      ...(skill === undefined ? {} : { skill }),
      tasks: [...new Set([...others, ...task])].toSorted(),
    });
  }
  return [...remarks.values()].toSorted(byTime);
}

/** Identifies a sentence in a conversation. */
export const keyOf = ({ conversation, text }: Pick<WishSentence, "conversation" | "text">): string =>
  hashJson([conversation, text]);

const byTime = ({ sentence: a }: Remark, { sentence: b }: Remark): number =>
  a.at - b.at || (a.conversation < b.conversation ? -1 : a.conversation > b.conversation ? 1 : 0);

/** A new wish from remarks that ask for the same thing; its id comes from the oldest. */
export function startWish(remarks: readonly [Remark, ...Remark[]]): Wish {
  const [first] = remarks.toSorted(byTime) as [Remark];
  const empty: Wish = {
    id: `w-${keyOf(first.sentence).slice(0, 12)}`,
    scope: first.scope,
    ...(first.skill === undefined ? {} : { skill: first.skill }),
    said: [],
    documents: [],
    wordings: [],
    tasks: [],
    state: { kind: "open", at: first.sentence.at, reason: "You said it." },
    sameAs: [],
    absorbed: [],
  };
  return addRemarks(empty, remarks);
}

/** Adds remarks to a wish. */
export const addRemarks = (wish: Wish, remarks: readonly Remark[]): Wish => ({
  ...wish,
  said: [...wish.said, ...remarks.map(({ sentence }) => sentence)].toSorted((a, b) => a.at - b.at),
  tasks: [...new Set([...wish.tasks, ...remarks.flatMap(({ tasks }) => tasks)])].toSorted(),
});
