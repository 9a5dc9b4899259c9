import { WhetstoneError } from "../../core/errors.ts";
import type { Found, Redacted, Redactor } from "../../core/ports/redactor.ts";
import { findAssignments } from "./assignments.ts";
import { findBankNumbers } from "./bank-numbers.ts";
import { findDrawnTokens } from "./drawn-tokens.ts";
import { findKeyPairs } from "./key-pairs.ts";
import { knownValues } from "./known-values.ts";
import { findPrintedSecrets } from "./printed-secrets.ts";
import { findSecretFiles, readSecretFile, secretsOfPair } from "./secret-files.ts";
import { findSecretCells } from "./secret-tables.ts";
import { isOrdinaryValue } from "./secret-value.ts";
import { loadSecretlint } from "./secretlint.ts";
import type { Span } from "./span.ts";
import { type TextView, viewAsIs, viewPercentDecoded } from "./text-view.ts";
import { findSpokenSecrets } from "./spoken-secrets.ts";
import { findToldSecrets } from "./told-secrets.ts";
import { findUriCredentials } from "./uri-credentials.ts";
import { findVendorFormats } from "./vendor-formats.ts";

export interface RedactorOptions {
  /** Values of secret-like names in it are known secrets. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its `.env*` files contain known secrets. */
  readonly project?: string;
  /** So do the credential files of programs in it. */
  readonly home?: string;
  /** More files whose values are known secrets; missing files are ignored. */
  readonly files?: readonly string[];
  /** More secrets, accepted as they are. */
  readonly values?: readonly string[];
}

/**
 * Known values first, then vendor formats, then assignments, headers and addresses. A value found through an
 * assignment is known from then on. Secrets stay in memory.
 */
export async function createRedactor(options: RedactorOptions): Promise<Redactor> {
  const { env, project, home, files = [], values = [] } = options;
  const known = knownValues();
  for (const value of values) known.add(value);
  for (const [name, value = ""] of Object.entries(env)) {
    for (const secret of secretsOfPair(name, value, false)) known.add(secret);
  }
  const places = [...(await findSecretFiles({ project, home })), ...files];
  for (const secret of (await Promise.all(places.map(readSecretFile))).flat()) known.add(secret);
  const lint = await loadSecretlint();
  const placeholders = numberPlaceholders();

  async function lookOnce(text: string): Promise<string> {
    const taken = findPlaceholders(text);
    for (const { kind, number } of taken) placeholders.skip(kind, number);
    const formats: Span[] = [];
    const told: Required<Span>[] = [];
    // known by their form in any place, so we don't learn them
    const drawn: Required<Span>[] = [];
    // an address may contain another one, escaped
    const whole = viewAsIs(maskPlaceholders(text));
    for (const view of [whole, viewPercentDecoded(whole)]) {
      if (view === undefined) continue;
      const softened = soften(view.text);
      const place = placeIn(view);
      formats.push(
        ...findVendorFormats(softened).map(place),
        ...(await lint(softened)).map(place),
        ...findBankNumbers(softened).map(place),
      );
      const [lasting, passing] = divide(findSpokenSecrets(softened), ({ weight }) => weight === "known");
      drawn.push(
        ...findDrawnTokens(softened).map(place),
        ...passing.filter(({ weight }) => weight === "here").map(place),
      );
      told.push(
        ...findUriCredentials(softened).map(place),
        ...findAssignments(view.text, softened).map(place),
        ...findToldSecrets(softened).map(place),
        ...findSecretCells(softened).map(place),
        ...findPrintedSecrets(softened).map(place),
        ...findKeyPairs(softened).map(place),
        ...lasting.map(place),
      );
    }
    for (const { secret, kind } of told) {
      if (secret.length >= 8 && /\d/.test(secret) && !isOrdinaryValue(secret)) known.add(secret, kind);
    }
    const [sure, learned] = divide(known.find(whole.text), ({ kind }) => kind === "known");
    const spans = mergeSpans(
      [...sure, ...formats, ...learned, ...told, ...apartFrom(sure, drawn, text.length)],
      taken,
    );
    let [clean, from] = ["", 0];
    for (const { start, end, kind, secret } of spans) {
      clean += text.slice(from, start) + placeholders.give(secret ?? text.slice(start, end), kind);
      from = end;
    }
    return clean + text.slice(from);
  }

  /** Repeats until nothing is left, because text right next to a secret only becomes visible now. */
  async function look(text: string): Promise<Redacted> {
    let [before, after] = ["", text];
    for (let pass = 0; before !== after; pass += 1) {
      if (pass === mostPasses) throw new Error("it didn't finish");
      [before, after] = [after, await lookOnce(after)];
    }
    return { text: after, found: newPlaceholders(text, after) };
  }

  return {
    async redact(text) {
      try {
        return await look(text);
      } catch (cause) {
        // the cause may quote the text, so we only report its kind
        throw new WhetstoneError(
          "failed",
          `A text of ${text.length} characters couldn't be checked for secrets (${cause instanceof Error ? cause.name : typeof cause}), so it wasn't sent or stored.`,
          { hint: "Exclude the conversation it comes from, or report this as a bug." },
        );
      }
    },
  };
}

const mostPasses = 10;

/** Matches that touch none of the first. The next pass finds the rest of a random-looking word by a known value. */
function apartFrom(first: readonly Span[], spans: readonly Span[], length: number): readonly Span[] {
  if (first.length === 0 || spans.length === 0) return spans;
  const covered = new Uint8Array(length);
  for (const { start, end } of first) covered.fill(1, start, end);
  return spans.filter(({ start, end }) => !covered.subarray(start, end).includes(1));
}

/** Matches in the second text that weren't in the first. */
function newPlaceholders(before: string, after: string): readonly Found[] {
  const old = findPlaceholders(before).map(({ kind, number }) => nameOf(kind, number));
  return findPlaceholders(after).flatMap(({ kind, number }) => {
    const placeholder = nameOf(kind, number);
    if (old[0] !== placeholder) return [{ kind, placeholder }];
    old.shift();
    return [];
  });
}

function divide<T>(
  items: readonly T[],
  isFirst: (item: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/** Maps a match in a view back to the original, with the secret as the view shows it. */
const placeIn =
  ({ text, startOf, endOf }: TextView) =>
  ({ start, end, kind }: Span): Required<Span> => ({
    start: startOf(start),
    end: endOf(end - 1),
    kind,
    secret: text.slice(start, end),
  });

interface Placeholder {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
  readonly number: number;
}

const placeholderPattern = /«SECRET:([a-z\d-]{1,32}):(\d{1,9})»/g;

/** A placeholder of the same length, in which no secret starts, ends or is named. */
const maskPlaceholders = (text: string): string =>
  text.replaceAll(placeholderPattern, (found) => `<${"x".repeat(found.length - 2)}>`);

const findPlaceholders = (text: string): readonly Placeholder[] =>
  [...text.matchAll(placeholderPattern)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    kind: match[1] ?? "",
    number: Number(match[2]),
  }));

/** One placeholder for each secret, whatever it was first recognized as. */
function numberPlaceholders() {
  const bySecret = new Map<string, string>();
  const given = new Set<string>();
  const last = new Map<string, number>();
  return {
    /** If a number already occurs in a text, it means another secret from another time. */
    skip(kind: string, number: number) {
      if (!given.has(nameOf(kind, number))) last.set(kind, Math.max(last.get(kind) ?? 0, number));
    },
    give(secret: string, kind: string): string {
      const known = bySecret.get(secret);
      if (known !== undefined) return known;
      const number = (last.get(kind) ?? 0) + 1;
      const placeholder = nameOf(kind, number);
      last.set(kind, number);
      given.add(placeholder);
      bySecret.set(secret, placeholder);
      return placeholder;
    },
  };
}

const nameOf = (kind: string, number: number): string => `«SECRET:${kind}:${number}»`;

/** In order, without overlap. Overlapping matches become one, of the first one's kind. Placeholders stay as they are. */
function mergeSpans(spans: readonly Span[], taken: readonly Placeholder[]): readonly Span[] {
  const merged: (Span & { readonly rank: number })[] = [];
  const ranked = spans
    .map((span, rank) => ({ ...span, rank }))
    .toSorted((a, b) => a.start - b.start || b.end - a.end);
  for (const span of ranked) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) {
      merged.push(span);
      continue;
    }
    const { kind, rank } = span.rank < last.rank ? span : last;
    const end = Math.max(last.end, span.end);
    const same = [last, span].find(
      (each) => each.start === last.start && each.end === end && each.secret !== undefined,
    );
    merged[merged.length - 1] = {
      start: last.start,
      end,
      kind,
      rank,
      ...(same?.secret === undefined ? {} : { secret: same.secret }),
    };
  }
  let next = 0;
  return merged.flatMap((span) => {
    while (next < taken.length && (taken[next]?.end ?? 0) <= span.start) next += 1;
    const inside: Placeholder[] = [];
    for (let at = next; at < taken.length && (taken[at]?.start ?? 0) < span.end; at += 1)
      inside.push(...taken.slice(at, at + 1));
    return partsAround(span, inside);
  });
}

/** The parts of a match outside placeholders. A few characters between two of them reveal nothing. */
function partsAround(span: Span, inside: readonly Placeholder[]): readonly Span[] {
  if (inside.length === 0) return [span];
  const parts: Span[] = [];
  let from = span.start;
  for (const { start, end } of [...inside, { start: span.end, end: span.end }]) {
    if (start - from >= 6) parts.push({ start: from, end: start, kind: span.kind });
    from = Math.max(from, end);
  }
  return parts;
}

/**
 * A text of the same length in which escapes don't touch words: in `\nAKIA…` a line break precedes the key, and `\"`
 * becomes blanks and a quote. Matches found in it have the same positions in the original.
 */
const soften = (text: string): string =>
  text.includes("\\") ? text.replaceAll(/(?<!\\)\\+(?:[nrtbf"'`/]|u00[0-7][\da-f])/gi, softenEscape) : text;

function softenEscape(escaped: string): string {
  const code = /u(00[0-7][\da-f])$/i.exec(escaped)?.[1];
  const meant = code === undefined ? escaped.slice(-1) : String.fromCharCode(Number.parseInt(code, 16));
  if (code === undefined ? escaped.endsWith("n") : meant === "\n") return "\n".padStart(escaped.length);
  const isSign = code === undefined ? /["'`/]/.test(meant) : /[!-~]/.test(meant);
  return (isSign ? meant : " ").padStart(escaped.length);
}
