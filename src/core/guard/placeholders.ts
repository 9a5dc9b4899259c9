/** The placeholder of a secret that was taken out, or something that looks like one. */
export interface Placeholder {
  /** UTF-16 offset into the text. */
  readonly index: number;
  readonly text: string;
}

/** Finds every `«SECRET:kind:1»`, also cut short or in other brackets. */
export const findPlaceholders = (text: string): readonly Placeholder[] =>
  Array.from(text.matchAll(placeholder), ({ 0: found, index }) => ({ index, text: found }));

/**
 * Finds placeholders of the old text that were filled in: the words before them are still there, but something else
 * follows. If the words before it are gone too, it was simply removed.
 */
export function findFilledPlaceholders(before: string, after: string): readonly Placeholder[] {
  return findPlaceholders(before).flatMap(({ index, text }) => {
    const lead = before.slice(before.lastIndexOf("\n", index - 1) + 1, index);
    if (lead.trim() === "") return [];
    const at = after.indexOf(lead);
    const isFilled = at !== -1 && !after.includes(lead + text);
    return isFilled ? [{ index: at, text }] : [];
  });
}

const placeholder = /«\s*SECRET\b[^»\n]{0,80}»?|(?<![\w])SECRET\s*:\s*[\w-]+\s*:\s*\d+/gi;
