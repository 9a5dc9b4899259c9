import type { MinedTask, SaidSentence } from "../../core/ports/mined-task.ts";

/**
 * What a person keeps asking for, over conversations, agents and languages: the unit of a night. Its id stays for good. A
 * later night adds sentences and tasks, or proposes that two wishes be one; it never moves a sentence and never splits a
 * wish. That it was said often is evidence, and is shown; it is no proof.
 */
export interface Wish {
  /** `w-` and twelve characters, made from the first sentence; never changes. */
  readonly id: string;
  readonly scope: MinedTask["scope"];
  /** The skill that was used when it was first said. */
  readonly skill?: string;
  /** Everything that was said of it, oldest first: never empty, no sentence twice. */
  readonly said: readonly WishSentence[];
  /** Ids of the documents it is written into. Evidence belongs to the wish, whichever they are. */
  readonly documents: readonly string[];
  /** The first is proposed and measured; the others are for a person to choose from. Empty until it is worded. */
  readonly wordings: readonly Wording[];
  /** Ids of the tasks of its habit, sorted: those it is measured on. */
  readonly tasks: readonly string[];
  readonly state: WishState;
  /** Ids of wishes that a grouping took for the same; only a person makes them one. */
  readonly sameAs: readonly string[];
  /** Ids of the wishes that a person made one with this. */
  readonly absorbed: readonly string[];
  /** Whether the person asks for it in their own voice, as a model sees it. @default unknown */
  readonly isOwn?: boolean;
  /** Ids of the wishes that this one took the place of. @default none */
  readonly replaces?: readonly string[];
  /** Sentences that took it back. @default none */
  readonly against?: readonly WishSentence[];
  /** Texts that a file may have of it: its wordings before it was narrowed, or a rule that says the opposite. @default none */
  readonly former?: readonly string[];
  /** Of the former ones: those that agents broke although a file had them. @default none */
  readonly relapsed?: readonly string[];
  /** When it last changed so much that no earlier decision counts, in milliseconds since the epoch. @default never */
  readonly turnedAt?: number;
  /** Lines of agents' own memory and of the person's files that it was compared with. @default none */
  readonly memory?: readonly MemoryLine[];
  /** The folder of another project in which it waits for the person's word. @default none */
  readonly waitsIn?: string;
  /** A program heard it on a night without a model: a night with one reads the conversations again. @default false */
  readonly isNoted?: true;
}

/** A line that agents read and that a night doesn't write for this wish. */
export interface MemoryLine {
  /** The text it is in, as a person calls it. */
  readonly name: string;
  readonly readBy: readonly string[];
  readonly quote: string;
  readonly says: "same" | "opposite";
}

/** One time that it was said. Its words and their scene are empty once they are older than what may be kept. */
export interface WishSentence extends SaidSentence {
  /** When the conversation ended, in milliseconds since the epoch. */
  readonly at: number;
  /** Whose conversation it was: a `SourceName`, or `file` for a task that a person wrote down. */
  readonly agent: string;
  /** It was said in another project, which keeps it. @default false */
  readonly isElsewhere?: true;
}

/** One way to put a wish into a file. */
export interface Wording {
  /** As it would stand there, without a bullet. */
  readonly text: string;
  /** `proposed`: by the optimizer. `own`: a sentence of the person's. `chosen`: the person took or wrote it in a review. */
  readonly by: "proposed" | "own" | "chosen";
  /** Ids of the conversations that it was made from, sorted: their tasks never count for it. */
  readonly from: readonly string[];
}

/**
 * `open`: proposed and measured. `adopted`: a file has it, written by a person's choice or found there (`quote`). `rejected`:
 * a person never wants it, whatever its wording. `snoozed`: a person dropped it. `changed`: they asked for the opposite since.
 * `withdrawn`: they took it back. `expired`: nobody decided, and it was not said for long. These four are open again once it is
 * said again.
 */
export interface WishState {
  readonly kind: "open" | "adopted" | "rejected" | "snoozed" | "changed" | "withdrawn" | "expired";
  /** Since when, in milliseconds since the epoch. */
  readonly at: number;
  /** A sentence for a person; of a rejection the person's reason. */
  readonly reason: string;
  /** Of one that a document had said before it was ever proposed: its words there. */
  readonly quote?: string;
  /** Of one that was adopted: ids of the documents that a person has decided on. Of others it belongs into they are asked. */
  readonly decided?: readonly string[];
}

/** The wording that is proposed and measured, if there is one yet. */
export const firstWording = ({ wordings }: Pick<Wish, "wordings">): Wording | undefined => wordings[0];

/** The latest of all that was said. */
export const latestOf = (said: readonly WishSentence[]): WishSentence | undefined =>
  said.toSorted((a, b) => a.at - b.at).at(-1);

/** Ids of the conversations in which the person had to say it again because an agent had broken it since it was adopted. */
export const relapsesOf = ({ said, state: { kind, at: since } }: Wish): readonly string[] =>
  conversationsOf({
    said: said.filter((one) => kind === "adopted" && one.kind === "correction" && one.at > since),
  });

/** All texts that a file may have of it. */
export const textsOf = ({ former = [], wordings }: Pick<Wish, "former" | "wordings">): readonly string[] => [
  ...new Set([...former, ...wordings.map(({ text }) => text)]),
];

/** Ids of the conversations in which it was said, oldest first. */
export const conversationsOf = ({ said }: Pick<Wish, "said">): readonly string[] => [
  ...new Set(said.map(({ conversation }) => conversation)),
];

/**
 * Whether it is a rule by now: said to hold from now on, said in two conversations, said against an earlier wish, or written down
 * by the person. Until then it waits, and is said to wait.
 */
export function isStanding({ said, replaces = [], wordings, state }: Wish): boolean {
  if (wordings[0]?.by === "chosen" || state.kind === "adopted") return true;
  const lasting = said.filter(({ lasts }) => lasts !== "once");
  if (lasting.some(({ lasts, agent }) => lasts === "always" || agent === "file")) return true;
  return lasting.length > 0 && (replaces.length > 0 || conversationsOf({ said: lasting }).length > 1);
}

/** Whether the person wants it no more. */
export const isClosed = ({ state: { kind } }: Pick<Wish, "state">): boolean =>
  kind === "changed" || kind === "withdrawn";

/** Whether it may be proposed for a document: it is open, or was adopted in other files alone. */
export const isOpenFor = ({ state: { kind, decided } }: Pick<Wish, "state">, document: string): boolean =>
  kind === "open" || (kind === "adopted" && decided?.includes(document) === false);
