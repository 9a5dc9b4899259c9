/**
 * A time as milliseconds since the epoch: from milliseconds, seconds, or a text. A text without a zone is UTC, as the
 * agents and SQLite write it. Undefined when it is no time.
 */
export function instantOf(value: unknown): number | undefined {
  if (typeof value === "number" && Number.isFinite(value) && value > 0)
    return Math.round(value < secondsBelow ? value * 1000 : value);
  if (typeof value !== "string" || !startsWithDate.test(value)) return undefined;
  const text = value.trim().replace(" ", "T");
  const instant = Date.parse(text.includes("T") && !endsWithZone.test(text) ? `${text}Z` : text);
  return Number.isNaN(instant) ? undefined : instant;
}

/** In milliseconds this is the spring of 1973, in seconds the year 5138. */
const secondsBelow = 1e11;
const startsWithDate = /^\s*\d{4}-\d{2}-\d{2}/;
const endsWithZone = /(?:Z|[+-]\d{2}:?\d{2})$/i;
