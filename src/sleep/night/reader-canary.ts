import { codingAgents } from "../../adapters/coding-agents/coding-agents.ts";
import { binomialInterval } from "../../core/gate/binomial-interval.ts";
import { plural } from "../../core/plural.ts";
import type { SourceName } from "../../core/ports/conversation.ts";
import type { ReadRef } from "../memory/harvested.ts";

/** By agent, how many conversations nights looked into, and how many of them had no prompt. */
export type UsualPrompts = Readonly<
  Partial<Record<SourceName, { readonly looked: number; readonly empty: number }>>
>;

/** One look into a conversation. */
export interface Look extends ReadRef {
  readonly isEmpty: boolean;
  /** The agent's version; empty if unknown. */
  readonly version: string;
}

interface Strange {
  /** Ids of the conversations without a prompt. */
  readonly refs: readonly string[];
  readonly sentence: string;
}

/** Fewer conversations don't tell anything about a format. */
const fewest = 3;

/** Assumed for an agent that was never read before: most conversations have a prompt. */
const assumed = { looked: 3, empty: 0 };

/**
 * Finds agent versions whose conversations have far fewer prompts than usual, beyond chance by exact 95% intervals of both
 * shares. Their format has probably changed. Their conversations wait, so nothing is lost.
 */
export function findStrange(looks: readonly Look[], usual: UsualPrompts): readonly Strange[] {
  const groups = Map.groupBy(looks, ({ source, version }) => `${source} ${version}`);
  return [...groups.values()].flatMap((own) => {
    const [{ source, version } = { source: undefined, version: "" }] = own;
    const empty = own.filter(({ isEmpty }) => isEmpty);
    if (source === undefined || empty.length < fewest) return [];
    const before = usual[source] ?? assumed;
    const [least] = binomialInterval(empty.length, own.length);
    const [, most] = binomialInterval(before.empty, before.looked);
    if (least <= most) return [];
    const name = [codingAgents[source].label, version].filter((part) => part !== "").join(" ");
    const waits = empty.length === 1 ? "waits" : "wait";
    return [
      {
        refs: empty.map(({ ref }) => ref.id),
        sentence: `The format of ${name} has changed: ${plural(empty.length, "conversation")} ${waits}.`,
      },
    ];
  });
}

/** Adds tonight's looks. */
export function addLooks(usual: UsualPrompts, looks: readonly Look[]): UsualPrompts {
  const added = [...Map.groupBy(looks, ({ source }) => source)].map(([source, own]) => {
    const { looked, empty } = usual[source] ?? { looked: 0, empty: 0 };
    return [
      source,
      { looked: looked + own.length, empty: empty + own.filter(({ isEmpty }) => isEmpty).length },
    ];
  });
  return { ...usual, ...Object.fromEntries(added) };
}
