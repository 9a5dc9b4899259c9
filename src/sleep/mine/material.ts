import { type ToldMarks, countWords, isCopied } from "../../core/guard/shared-text.ts";
import { type SentenceSpan, findSentences } from "../../core/sentences.ts";
import { introducesMaterial, introducesOwn } from "./lead-ins.ts";
import { findMachineText } from "./machine-lines.ts";

/** What is known of a conversation up to a prompt. */
export interface HeardBefore extends ToldMarks {
  /** What the agent's program noted as pasted. */
  readonly pastes: readonly string[];
}

/**
 * The stretches of a prompt that the person did not write: by how they look (fences, quotes, mail, logs, code, what follows
 * a colon), by what the program noted as pasted, and by what stood in the conversation before. Where it cannot tell, it takes
 * words for material: what is said once more, plainly, is the person's. A bare sentence that was pasted and stands
 * nowhere else looks like a typed one.
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

/** Spans in order, those that touch as one. */
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

/** Fences also when nobody closed them, quoted lines and rows of tables. */
const enclosures = [/(`{3,}|~{3,})[^]*?(?:\1`*|$)/g, /^[ \t]*[>|＞].*$/gm];

/** What stands between a tag and the one that closes it. */
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

/** A name or a command in quotes is the person's; a sentence in quotes is somebody's. */
const isLong = (text: string, { start, end }: SentenceSpan): boolean =>
  countWords(text.slice(start, end)) >= minQuoted;

const minQuoted = 4;

function findPaste(prompt: string, paste: string): readonly SentenceSpan[] {
  const text = paste.trim();
  const start = text === "" ? -1 : prompt.indexOf(text);
  return start === -1 ? [] : [{ start, end: start + text.length }];
}

/** From the first of two lines of a mail's head, or from a line that begins what was forwarded, to the end. */
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

/** So much in one block is seldom typed. */
function findLongBlocks(prompt: string): readonly SentenceSpan[] {
  return matches(prompt, /\S(?:[^\n]|\n(?!\s*\n))*/g).filter(({ start, end }) => {
    const block = prompt.slice(start, end);
    const isAnnounced = introducesOwn(block.slice(0, block.indexOf("\n") + 1));
    return !isAnnounced && (block.length > maxTyped || block.split("\n").length > maxTypedLines);
  });
}

const [maxTyped, maxTypedLines] = [2000, 15];

/** What follows a colon, to the end: only one that announces the person's own wishes does not. */
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
