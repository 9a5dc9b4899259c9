import { mainText } from "../../core/skill/skill.ts";
import type { Document } from "../../core/rules/learned/document.ts";
import type { OwnMemory } from "../memory/own-memories.ts";
import type { MemoryLine, Wish } from "./wish.ts";

export interface MemoryInput {
  readonly documents: readonly Document[];
  readonly memories: readonly OwnMemory[];
  /** The agents of tonight and of earlier nights. */
  readonly inUse: readonly string[];
}

/** The texts that agents read next to the documents of a wish: their own memory, and the person's files. */
export const memoryBeside = (
  { scope }: Pick<Wish, "scope">,
  { documents: all, memories }: MemoryInput,
): readonly OwnMemory[] => [
  ...memories,
  ...all
    .filter((one) => one.kind === "memory" && one.scope === "personal" && scope !== one.scope)
    .map(({ name, readBy = [], skill }) => ({ name: `~/${name}`, readBy, text: mainText(skill) }))
    .filter(({ text }) => text.trim() !== ""),
];

/** Finds the lines that a model quoted. */
export function findQuoted(
  wish: Wish,
  { already, opposite }: { readonly already: readonly string[]; readonly opposite: readonly string[] },
  input: MemoryInput,
): readonly MemoryLine[] {
  const beside = memoryBeside(wish, input);
  const lines = (quotes: readonly string[], says: MemoryLine["says"]) =>
    quotes.flatMap((quote) =>
      beside
        .filter(({ text }) => quote.length > 3 && text.includes(quote))
        .map(({ name, readBy }) => ({ name, readBy, quote, says })),
    );
  const same = already.filter((quote) => !opposite.includes(quote));
  return [...lines(same, "same"), ...lines(opposite, "opposite")];
}

/** Adds the lines of memory to a wish. It's adopted if every agent of the wish reads it there and nothing says the opposite. */
export function withMemory(
  wish: Wish,
  lines: readonly MemoryLine[],
  { inUse, at }: Pick<MemoryInput, "inUse"> & { readonly at: number },
): Wish {
  if (lines.length === 0) return wish;
  const agents = [...wish.said.map(({ agent }) => agent), ...inUse].filter((agent) => agent !== "file");
  const same = lines.filter(({ says }) => says === "same");
  const isKnown = (agent: string) => same.some(({ readBy }) => readBy.includes(agent));
  if (same.length < lines.length || agents.length === 0 || !agents.every(isKnown))
    return { ...wish, memory: lines };
  const [first] = same;
  const names = [...new Set(same.map(({ name }) => name))];
  const reason = `${names.join(" and ")} ${names.length === 1 ? "says" : "say"} it already.`;
  return { ...wish, memory: lines, state: { kind: "adopted", at, reason, quote: first?.quote ?? "" } };
}

/** `Claude Code's own memory (MEMORY.md) says the opposite: "…". Nights don't change it.` */
export const memoryText = ({ name, quote, says }: MemoryLine): string =>
  says === "same"
    ? `${name} says it already: "${quote}". Not all your agents read that.`
    : `${name} says the opposite: "${quote}". Nights don't change it.`;
