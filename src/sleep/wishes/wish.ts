import type { MinedTask, SaidSentence } from "../../core/ports/mined-task.ts";

/**
 * Something that a person keeps asking for, across conversations, agents and languages: the unit of a night. Its id never
 * changes. Later nights add sentences and tasks, or propose to merge two wishes. They never move a sentence or split a
 * wish. How often it was said is evidence, and is shown, but it isn't proof.
 */
export interface Wish {
  /** `w-` and twelve characters, made from the first sentence; never changes. */
  readonly id: string;
  readonly scope: MinedTask["scope"];
  /** The skill that was used when it was first said. */
  readonly skill?: string;
  /** All its sentences, oldest first; never empty, without duplicates. */
  readonly said: readonly WishSentence[];
  /** Ids of the documents it goes into. Evidence belongs to the wish, not to a document. */
  readonly documents: readonly string[];
  /** The first is proposed and measured; a person can choose one of the others. Empty until it's worded. */
  readonly wordings: readonly Wording[];
  /** Ids of the tasks of its habit, which it's measured on, sorted. */
  readonly tasks: readonly string[];
  readonly state: WishState;
  /** Ids of wishes that a grouping considers the same; only a person can merge them. */
  readonly sameAs: readonly string[];
  /** Ids of the wishes that a person merged into this one. */
  readonly absorbed: readonly string[];
  /** Whether the person asks for it in their own voice, according to a model. @default unknown */
  readonly isOwn?: boolean;
  /** Ids of the wishes that this one replaced. @default none */
  readonly replaces?: readonly string[];
  /** Sentences that took it back. @default none */
  readonly against?: readonly WishSentence[];
  /** Older texts that a file may have: its wordings before it was narrowed, or a rule that says the opposite. @default none */
  readonly former?: readonly string[];
  /** The former texts that agents broke although a file had them. @default none */
  readonly relapsed?: readonly string[];
  /** When it last changed so much that earlier decisions no longer count, in milliseconds since the epoch. @default never */
  readonly turnedAt?: number;
  /** Lines of agents' own memory and of the person's files that it was compared with. @default none */
  readonly memory?: readonly MemoryLine[];
  /** The folder of another project where it waits for the person's decision. @default none */
  readonly waitsIn?: string;
  /** Found by a program on a night without a model. A night with a model reads the conversations again. @default false */
  readonly isNoted?: true;
}

/** A line that agents read but that nights don't write for this wish. */
export interface MemoryLine {
  /** The name of its text for people. */
  readonly name: string;
  readonly readBy: readonly string[];
  readonly quote: string;
  readonly says: "same" | "opposite";
}

/** One time that it was said. Its words and scene are removed once they are too old to be kept. */
export interface WishSentence extends SaidSentence {
  /** When the conversation ended, in milliseconds since the epoch. */
  readonly at: number;
  /** The conversation's agent: a `SourceName`, or `file` for a task that a person wrote. */
  readonly agent: string;
  /** It was said in another project, which keeps it. @default false */
  readonly isElsewhere?: true;
}

/** One way to put a wish into a file. */
export interface Wording {
  /** The text for the file, without a bullet. */
  readonly text: string;
  /** `proposed`: by the optimizer. `own`: a sentence of the person's. `chosen`: the person chose or wrote it in a review. */
  readonly by: "proposed" | "own" | "chosen";
  /** Ids of the conversations that it was made from, sorted. Their tasks never count as evidence for it. */
  readonly from: readonly string[];
}

/**
 * `open`: proposed and measured. `adopted`: a file has it, because a person adopted it or it was already there (`quote`).
 * `rejected`: a person never wants it, in any wording. `snoozed`: a person dropped it. `changed`: they have asked for the
 * opposite since. `withdrawn`: they took it back. `expired`: undecided and not said for a long time. These last four open
 * again once it's said again.
 */
export interface WishState {
  readonly kind: "open" | "adopted" | "rejected" | "snoozed" | "changed" | "withdrawn" | "expired";
  /** When it got this state, in milliseconds since the epoch. */
  readonly at: number;
  /** A sentence for a person; for a rejection, the person's reason. */
  readonly reason: string;
  /** Its words in a document, if the document had it before it was ever proposed. */
  readonly quote?: string;
  /** If adopted, ids of the documents that the person has decided on. They are still asked about its other documents. */
  readonly decided?: readonly string[];
}

/** The wording that is proposed and measured, if it has one yet. */
export const firstWording = ({ wordings }: Pick<Wish, "wordings">): Wording | undefined => wordings[0];

/** The latest sentence. */
export const latestOf = (said: readonly WishSentence[]): WishSentence | undefined =>
  said.toSorted((a, b) => a.at - b.at).at(-1);

/** Ids of the conversations where the person had to say it again because an agent broke the adopted rule. */
export const relapsesOf = ({ said, state: { kind, at: since } }: Wish): readonly string[] =>
  conversationsOf({
    said: said.filter((one) => kind === "adopted" && one.kind === "correction" && one.at > since),
  });

/** All its texts that a file may have. */
export const textsOf = ({ former = [], wordings }: Pick<Wish, "former" | "wordings">): readonly string[] => [
  ...new Set([...former, ...wordings.map(({ text }) => text)]),
];

/** Ids of the conversations where it was said, oldest first. */
export const conversationsOf = ({ said }: Pick<Wish, "said">): readonly string[] => [
  ...new Set(said.map(({ conversation }) => conversation)),
];

/**
 * Whether it counts as a rule by now: said to apply from now on, said in two conversations, said against an earlier wish, or
 * written down by the person. Until then it waits, and notes say so.
 */
export function isStanding({ said, replaces = [], wordings, state }: Wish): boolean {
  if (wordings[0]?.by === "chosen" || state.kind === "adopted") return true;
  const lasting = said.filter(({ lasts }) => lasts !== "once");
  if (lasting.some(({ lasts, agent }) => lasts === "always" || agent === "file")) return true;
  return lasting.length > 0 && (replaces.length > 0 || conversationsOf({ said: lasting }).length > 1);
}

/** Whether the person no longer wants it. */
export const isClosed = ({ state: { kind } }: Pick<Wish, "state">): boolean =>
  kind === "changed" || kind === "withdrawn";

/** Whether it may be proposed for a document: it's open, or was adopted only in other files. */
export const isOpenFor = ({ state: { kind, decided } }: Pick<Wish, "state">, document: string): boolean =>
  kind === "open" || (kind === "adopted" && decided?.includes(document) === false);
