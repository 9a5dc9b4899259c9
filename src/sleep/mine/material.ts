import { type ToldMarks, countWords, isCopied } from "../../core/guard/shared-text.ts";
import { type SentenceSpan, findSentences } from "../../core/sentences.ts";
import { introducesMaterial, introducesOwn } from "./lead-ins.ts";
import { findMachineText } from "./machine-lines.ts";

/** The conversation so far, before a prompt. */
export interface HeardBefore extends ToldMarks {
  /** Texts that the agent's program recorded as pasted. */
  readonly pastes: readonly string[];
}

/**
 * Finds the parts of a prompt that the person didn't write. It uses their look (fences, quotes, mail, logs, code, text after
 * a colon), recorded pastes, and earlier text of the conversation. In doubt, words count as material: the person can say
 * them again plainly. A bare pasted sentence that occurs nowhere else looks like a typed one.
 */
export function findMaterial(prompt: string, heard: HeardBefore): readonly SentenceSpan[] {
  const enclosed = join([
    ...enclosures.flatMap((pattern) => matches(prompt, pattern)),
    ...findTagged(prompt),
    ...quotations.flatMap((pattern) => matches(prompt, pattern)).filter((span) => isLong(prompt, span)),
    ...heard.pastes.flatMap((paste) => findPaste(prompt, paste)),
  ]);
  const open = without(prompt, enclosed);
  const shaped = join([...enclosed, ...findMachineText(open), ...findMails(open), ...findLongBlocks(open)]);
  const spans = join([...shaped, ...findIntroduced(prompt, shaped)]);
  const copied = findSentences(without(prompt, spans)).filter(({ start, end }) =>
    isCopied(prompt.slice(start, end), heard),
  );
  return join([...spans, ...copied]);
}

/** Sorts spans and joins those that touch. */
function join(spans: readonly SentenceSpan[]): readonly SentenceSpan[] {
  const joined: SentenceSpan[] = [];
  for (const span of spans.filter(({ start, end }) => end > start).toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || span.start > last.end) joined.push(span);
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return joined;
}

const matches = (text: string, pattern: RegExp): readonly SentenceSpan[] =>
  Array.from(text.matchAll(pattern), ({ index, 0: match }) => ({ start: index, end: index + match.length }));

const without = (text: string, spans: readonly SentenceSpan[]): string =>
  spans.reduce(
    (left, { start, end }) => left.slice(0, start) + "\n".repeat(end - start) + left.slice(end),
    text,
  );

/** Fences, even unclosed ones, quoted lines and table rows. */
const enclosures = [/(`{3,}|~{3,})[^]*?(?:\1`*|$)/g, /^[ \t]*[>|＞].*$/gm];

/** Text between a tag and its closing tag. */
function findTagged(prompt: string): readonly SentenceSpan[] {
  const opened = new Map<string, number>();
  return Array.from(prompt.matchAll(/<(\/?)([a-z][\w-]{0,50})(?:\s[^<>]{0,1000})?>/gi)).flatMap(
    ({ 0: tag, 1: slash, 2: name = "", index }) => {
      const start = opened.get(name.toLowerCase());
      if (slash === "" && start === undefined) opened.set(name.toLowerCase(), index);
      return slash === "" || start === undefined ? [] : [{ start, end: index + tag.length }];
    },
  );
}

const quotations = [
  /"[^"\n]+"/g,
  /“[^”]+(?:”|$)/g,
  /„[^“”]+(?:[“”]|$)/g,
  /«[^»]+(?:»|$)/g,
  /「[^」]+(?:」|$)/g,
  /『[^』]+(?:』|$)/g,
];

/** A quoted name or command is the person's; a quoted sentence is somebody else's. */
const isLong = (text: string, { start, end }: SentenceSpan): boolean =>
  countWords(text.slice(start, end)) >= minQuoted;

const minQuoted = 4;

function findPaste(prompt: string, paste: string): readonly SentenceSpan[] {
  const text = paste.trim();
  const start = text === "" ? -1 : prompt.indexOf(text);
  return start === -1 ? [] : [{ start, end: start + text.length }];
}

/** From the first of two mail header lines, or from a line that starts a forwarded mail, to the end. */
function findMails(prompt: string): readonly SentenceSpan[] {
  const starts = mails.map((pattern) => prompt.search(pattern)).filter((at) => at !== -1);
  return starts.map((start) => ({ start, end: prompt.length }));
}

const mailField =
  "(?:From|To|Cc|Bcc|Subject|Date|Sent|Reply-To|Von|An|Gesendet|Datum|Betreff|De|À|A|Envoyé|Objet|Para|Enviado|Asunto|Fecha|Assunto|Da|Inviato|Oggetto|Aan|Onderwerp|Från|Till|Ämne|Od|Do|Temat|Kimden|Konu|От|Кому|Дата|Тема|Від|发件人|收件人|日期|主题|寄件者|主旨|差出人|宛先|日時|件名|보낸 사람|받는 사람|날짜|제목|من|إلى|التاريخ|الموضوع|मेरी ओर से|विषय|จาก|ถึง|เรื่อง|מאת|אל|נושא|Από|Προς|Θέμα)";
const mails = [
  new RegExp(
    String.raw`^[ \t]*\*{0,2}${mailField}\*{0,2}\s*[:：].*\n(?:.*\n)?[ \t]*\*{0,2}${mailField}\*{0,2}\s*[:：]`,
    "mu",
  ),
  /^[ \t]*-{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|message d'origine|mensaje original|messaggio originale|исходное сообщение|原始邮件|転送メッセージ)/imu,
  /^[ \t]*begin forwarded message/im,
];

/** Blocks this long are seldom typed. */
function findLongBlocks(prompt: string): readonly SentenceSpan[] {
  return matches(prompt, /\S(?:[^\n]|\n(?!\s*\n))*/g).filter(({ start, end }) => {
    const block = prompt.slice(start, end);
    const isAnnounced = introducesOwn(block.slice(0, block.indexOf("\n") + 1));
    return !isAnnounced && (block.length > maxTyped || block.split("\n").length > maxTypedLines);
  });
}

const [maxTyped, maxTypedLines] = [2000, 15];

/** Text after a colon, to the end, unless the colon announces the person's own wishes. */
function findIntroduced(prompt: string, shaped: readonly SentenceSpan[]): readonly SentenceSpan[] {
  const isTaken = (at: number) => shaped.some(({ start, end }) => at >= start && at < end);
  for (const { index, 0: mark } of prompt.matchAll(/:(?=\s)|：/g)) {
    const after = index + mark.length;
    const next = after + prompt.slice(after).search(/\S|$/);
    if (next >= prompt.length || isTaken(index) || isTaken(next)) continue;
    const lead =
      prompt
        .slice(Math.max(0, index - maxLead), index)
        .split(/\n|[.!?。！？]\s/u)
        .at(-1) ?? "";
    const isBlock = prompt.slice(after, next).includes("\n");
    const line = prompt.slice(next, next + maxAfterColon + 1);
    const isMaterial = isBlock
      ? introducesMaterial(lead) || !introducesOwn(lead)
      : introducesMaterial(lead) || (line.length > maxAfterColon && !line.includes("\n"));
    if (isMaterial) return [{ start: next, end: prompt.length }];
  }
  return [];
}

const [maxLead, maxAfterColon] = [200, 300];
