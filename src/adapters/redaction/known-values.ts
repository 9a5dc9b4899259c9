import { hash } from "node:crypto";
import type { Span } from "./span.ts";
import {
  type TextView,
  viewAsIs,
  viewHtmlDecoded,
  viewJoined,
  viewPercentDecoded,
  viewUnescaped,
} from "./text-view.ts";

/** Values that are secrets in any position. They only exist in memory. */
export interface KnownValues {
  add(value: string, kind?: string): void;
  /** Finds them in a text: as they are, in base64 or hex, escaped for JSON, an address or HTML, or split over lines. */
  find(text: string): readonly Span[];
}

interface Form {
  readonly text: string;
  readonly value: string;
  readonly kind: string;
  readonly encoding: "plain" | "base64" | "hex";
}

/** Shorter ones only count as whole words. */
const shortLength = 8;
/** Long enough not to occur by chance in a text whose lines were joined. */
const splitLength = 12;
/** All forms are at least this long, so their first characters can be looked up. */
const headLength = 6;

export function knownValues(): KnownValues {
  // by hash, so that the most used list doesn't contain the values
  const seen = new Set<string>();
  const byHead = new Map<string, Form[]>();
  const heads = new Uint8Array(1 << 16);

  function addForm(form: Form): void {
    if (form.text.length < headLength) return;
    const head = form.text.slice(0, headLength);
    const others = byHead.get(head) ?? [];
    if (others.some(({ text }) => text === form.text)) return;
    others.push(form);
    // longest first, because it removes the most
    others.sort((a, b) => b.text.length - a.text.length);
    byHead.set(head, others);
    heads[headHash(form.text, 0)] = 1;
  }

  function* scan(view: TextView, joined: boolean): Generator<Span> {
    const { text } = view;
    for (let at = 0; at + headLength <= text.length; at += 1) {
      if (heads[headHash(text, at)] === 0) continue;
      const forms = byHead.get(text.slice(at, at + headLength));
      const form = forms?.find((each) => holds(text, at, each, joined));
      if (form === undefined) continue;
      const [first, last] = form.encoding === "base64" ? widen(view, at, form) : [at, at + form.text.length];
      yield { start: view.startOf(first), end: view.endOf(last - 1), kind: form.kind, secret: form.value };
      at = last - 1;
    }
  }

  return {
    add(value, kind = "known") {
      const key = hash("sha256", value);
      if (value.length < headLength || seen.has(key)) return;
      seen.add(key);
      for (const form of formsOf(value)) addForm({ ...form, kind });
    },
    find: (text) =>
      seen.size === 0 ? [] : [...viewsOf(text)].flatMap(([view, joined]) => [...scan(view, joined)]),
  };
}

/** The text in every form that we search. */
function* viewsOf(text: string): Generator<readonly [view: TextView, joined: boolean]> {
  const plain = viewAsIs(text);
  const decoded = viewPercentDecoded(plain);
  const again = decoded && viewPercentDecoded(decoded);
  for (const view of [decoded, again, viewHtmlDecoded(plain)]) if (view !== undefined) yield [view, false];
  let view: TextView | undefined = plain;
  for (let level = 0; view !== undefined && level <= mostEscapes; level += 1) {
    yield [view, false];
    for (const decorated of [false, true]) {
      const joined = viewJoined(view, decorated);
      if (joined !== undefined) yield [joined, true];
    }
    view = viewUnescaped(view);
  }
}

/** A value in JSON in JSON in JSON, in a report that is JSON. */
const mostEscapes = 4;

function holds(text: string, at: number, form: Form, joined: boolean): boolean {
  if (joined && form.text.length < splitLength) return false;
  if (!text.startsWith(form.text, at)) return false;
  if (form.text.length >= shortLength) return true;
  return (
    !isWordCharacter(text.charCodeAt(at - 1)) && !isWordCharacter(text.charCodeAt(at + form.text.length))
  );
}

function formsOf(value: string): readonly Omit<Form, "kind">[] {
  const plain = [value, value.replaceAll(" ", "+")];
  // a quoted piece of a long key is still the key
  if (value.includes("\n")) {
    plain.push(...value.split(/\r?\n/).filter((line) => line.length >= 24 && !line.startsWith("-----")));
  }
  for (const decorated of [false, true]) {
    const joined = viewJoined(viewAsIs(value), decorated);
    if (joined !== undefined) plain.push(joined.text);
  }
  const forms: Omit<Form, "kind">[] = plain.map((text) => ({ text, value, encoding: "plain" }));
  if (value.length >= shortLength) {
    for (const text of base64Cores(value)) forms.push({ text, value, encoding: "base64" });
    const hex = Buffer.from(value).toString("hex");
    for (const text of [hex, hex.toUpperCase()]) forms.push({ text, value, encoding: "hex" });
  }
  return forms;
}

/** The part of a value's base64 that doesn't depend on the text around it, one for each of the three alignments. */
function base64Cores(value: string): readonly string[] {
  const cores: string[] = [];
  for (const before of [0, 1, 2]) {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((bytes.length * 8) / 6);
    for (const encoding of ["base64", "base64url"] as const) {
      const core = bytes.toString(encoding).slice(first, last);
      if (!cores.includes(core)) cores.push(core);
    }
  }
  return cores;
}

/** The characters at both ends of a core contain some bits of the value. */
function widen({ text, startOf, endOf }: TextView, at: number, form: Form): readonly [number, number] {
  let [first, last] = [at, at + form.text.length];
  if (isBase64(text.charAt(first - 1)) && endOf(first - 1) === startOf(first)) first -= 1;
  if (isBase64(text.charAt(last)) && startOf(last) === endOf(last - 1)) last += 1;
  while (text.charAt(last) === "=" && startOf(last) === endOf(last - 1)) last += 1;
  return [first, last];
}

const isBase64 = (character: string): boolean => /^[\w+/-]$/.test(character);

const isWordCharacter = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

const headHash = (text: string, at: number): number =>
  (text.charCodeAt(at) * 31 + text.charCodeAt(at + 1) * 977 + text.charCodeAt(at + 2) * 7919) & 0xffff;
