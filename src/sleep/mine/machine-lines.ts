import type { SentenceSpan } from "../../core/sentences.ts";

/**
 * Finds text that a program or a chat partner wrote: from the first such line through the last one, to the end of that
 * block. Text before the first line is the person's.
 */
export function findMachineText(prompt: string): readonly SentenceSpan[] {
  const lines = linesOf(prompt);
  const isMachine = lines.map(({ text }) => {
    const head = text.slice(0, longestHead);
    return machine.some((pattern) => pattern.test(head)) || codeEnd.test(text.slice(-shortEnd));
  });
  const first = isMachine.indexOf(true);
  const spoken = findChat(lines);
  if (first === -1) return spoken;
  let last = isMachine.lastIndexOf(true);
  while ((lines[last + 1]?.text.trim() ?? "") !== "") last += 1;
  return [...spoken, { start: lines[first]?.start ?? 0, end: lines[last]?.end ?? prompt.length }];
}

interface Line extends SentenceSpan {
  readonly text: string;
}

function linesOf(prompt: string): readonly Line[] {
  let start = 0;
  return prompt.split("\n").map((text) => {
    const line = { text, start, end: start + text.length };
    start = line.end + 1;
    return line;
  });
}

const level = "(?:trace|debug|info|notice|warn(?:ing)?|error|err|fatal|critical|severe|panic)";

const machine = [
  // log lines that start with a time
  /^\s*[[(]?\d{4}[-/.]\d{2}[-/.]\d{2}[T ,_]?\s*\d{2}:\d{2}/u,
  /^\s*[[(]?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?\s?(?:[AP]M)?[\])]?\s+\S/iu,
  /^\s*(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* +\d{1,2} \d{2}:\d{2}/iu,
  new RegExp(String.raw`^\s*(?:\[${level}\]|${level}\s*[:|\]])\s*\S`, "iu"),
  // programs that failed
  /^\s+at\s.+:\d+|^\s*at\s\S+\s?\(.+\)$|^\s*File "[^"]+", line \d+|^Traceback \(|^\s*(?:Caused by|panicked at|thread '\S+' panicked)\b/u,
  /^\s*(?:[\w.]+\.)?\w*(?:Error|Exception|Warning|Fault)(?:\s?\[[^\]]*\])?:\s/u,
  /^\s*(?:npm (?:ERR!|error|warn)|error(?:\[\w+\])?:|error TS\d+|make(?:\[\d+\])?: |fatal: |\S+: command not found)/iu,
  /^\s*\S*[\w-]+\.\w{1,5}[:(]\d+(?:[:,]\d+)?\)?(?::|\s)/u,
  // terminals, listings, changes
  /^\s*(?:[$❯➜]\s+(?=[\w./~-]+)|\S+@\S+[:~][^\s]*[$#]\s|PS [A-Z]:\\|[A-Z]:\\[^>]*>)(?!\s*$)(?=\S*[\w./])(?!.*[.!?]$)/u,
  /^\s*\d+\s*[|→│]\s?/u,
  /^(?:diff --git |index [0-9a-f]{6,}|@@ -\d|(?:\+\+\+|---) (?:[ab]\/|\/dev))/u,
  /\t\S/u,
  // code and data
  /^\s*(?:\/\/|\/\*|\*\/|<!--|<\/?[a-z][\w-]*(?:\s[^>]*)?\/?>|\{\s*$|\}\s*[,;)]?\s*$|\]\s*[,;)]?\s*$)/iu,
  /^\s*"[^"\n]+"\s*:\s*\S/u,
  /^\s*(?:import|export|const|let|var|function|class|def|fn|func|pub|public|private|return|package|using|#include)\b.*[;{(:]\s*$/u,
  // names and times of a chat
  /^[\p{L}\p{N}_.@-]+(?: [\p{L}\p{N}_.@-]+){0,2}\s+\d{1,2}:\d{2}(?:\s?[AP]M)?\s*$/iu,
];

/** How much of a line's start and end is checked. */
const [longestHead, shortEnd] = [300, 20];
const codeEnd = /[;{]\s*$/u;

/** At least three lines that begin with a name, one name twice. */
function findChat(lines: readonly Line[]): readonly SentenceSpan[] {
  const named = lines.flatMap((line) => {
    const name = /^\s*<?([\p{L}\p{M}\p{N}_.@-]+(?: [\p{L}\p{M}\p{N}_.@-]+){0,2})>?\s*[:：]\s*\S/u.exec(
      line.text.slice(0, longestHead),
    )?.[1];
    return name === undefined ? [] : [{ name, line }];
  });
  const names = new Set(named.map(({ name }) => name));
  const [first, last] = [named[0], named.at(-1)];
  return named.length >= 3 && names.size < named.length && first !== undefined && last !== undefined
    ? [{ start: first.line.start, end: lines.at(-1)?.end ?? last.line.end }]
    : [];
}
