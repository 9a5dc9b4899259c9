import { readWords } from "../../core/guard/leak-words.ts";
import type { ConversationTurn } from "../../core/ports/conversation.ts";
import { type SentenceSpan, findSentences } from "../../core/sentences.ts";
import { bareNo, contents, refusals } from "./no-words.ts";
import { typedText } from "./typed.ts";

/** A sentence that corrects the agent. */
export interface Correction {
  /** Position of the turn. */
  readonly turn: number;
  /** The sentence, in the person's words. */
  readonly quote: string;
}

/**
 * Finds turns that begin like a correction, at most one sentence of each, in many languages. Whole words at the start of a
 * sentence decide, so "incorrect" isn't "correct". First prompts and pastes don't count. It's a hint, not a verdict: the
 * miner reads the rest.
 */
export function findCorrections(turns: readonly ConversationTurn[]): readonly Correction[] {
  return turns.flatMap((each, turn) => {
    if (turn === 0) return [];
    const typed = typedText(each);
    const quote = joinBareNo(findSentences(typed).slice(0, 2 * maxSentences), typed)
      .slice(0, maxSentences)
      .find(isCorrection);
    return quote === undefined ? [] : [{ turn, quote }];
  });
}

/** A correction comes in the first sentences; the rest explains it. */
const maxSentences = 3;

/** Joins "No. Use pnpm." into one sentence. */
function joinBareNo(spans: readonly SentenceSpan[], prompt: string): readonly string[] {
  const texts: string[] = [];
  for (let at = 0; at < spans.length; at += 1) {
    const { start = 0, end = 0 } = spans[at] ?? {};
    const isBare = prompt.slice(start, end).replace(bareNo, "") === "";
    if (isBare) at += 1;
    texts.push(prompt.slice(start, spans[at]?.end ?? end));
  }
  return texts;
}

function isCorrection(sentence: string): boolean {
  let words = readWords(sentence).map(({ text }) => text);
  while (words.length > 0 && leadIns.has(words[0] ?? "")) words = words.slice(1);
  if (words.length < minWords || isPraise(words)) return false;
  const said = ` ${words.join(" ")} `;
  if (harmless.some((phrase) => said.startsWith(` ${phrase} `)) || contents.test(sentence)) return false;
  if (refusals.test(sentence)) return true;
  return openings.some((phrase) => said.startsWith(` ${phrase} `)) || wantsInstead(words) || stops(words);
}

/** "no" alone answers a question. */
const minWords = 2;

const leadIns = new Set("ok okay hm hmm well hey wait sorry please but and so thanks oh ah".split(" "));

const phrases = (text: string): readonly string[] => text.trim().split(/\s*,\s*/);

// as words are folded: without case and apostrophes
const openings = phrases(`
  no, nope, nah, dont, do not, never, not like that, not what i, not that, not the,
  actually, wrong, incorrect, thats wrong, that is wrong, thats incorrect, that is incorrect, thats not, that is not, thats the wrong,
  that isnt, this isnt, it isnt, this is wrong, its wrong, it is wrong, its still wrong, still wrong, this is not, its not, its still not, still not,
  that doesnt, this doesnt, that does not, this does not, that was not, that wasnt, that broke, this broke, you broke,
  i said, as i said, like i said, i told you, i meant, i asked for, i asked you, i didnt ask, i did not ask, i dont want, i do not want, i didnt mean,
  i already said, i already told you, again dont, youre wrong, you are wrong, you forgot, you missed, you should have, you shouldnt, you should not, you werent, you were not supposed,
  you used the wrong, why did you, why are you, why is it still, undo that, undo this, revert that, revert this`);

const harmless = phrases(`
  no problem, no problems, no worries, no rush, no hurry, no idea, no need, no thanks, no thank you, no questions, no doubt, no issues, no more,
  dont worry, dont forget, dont hesitate, dont know, dont bother, do not worry, do not forget, do not hesitate, never mind, not sure, its not urgent`);

/** "Use pnpm instead", "put it in lib instead of src". */
const wantsInstead = (words: readonly string[]): boolean =>
  imperatives.has(words[0] ?? "") && words.includes("instead");

const imperatives = new Set("use do make put write run call name keep leave return try".split(" "));

/** "Stop adding comments", but not "stop the server". */
const stops = ([first, second = ""]: readonly string[]): boolean =>
  first === "stop" && second.length > 4 && second.endsWith("ing");

/** "Actually, that works": praise without a word that withdraws it. */
const isPraise = (words: readonly string[]): boolean =>
  words.some((word) => praise.has(word)) &&
  !words.slice(1).some((word) => turns.has(word)) &&
  words[0] === "actually";

const praise = new Set("great good perfect nice fine works correct right excellent lovely thanks".split(" "));
const turns = new Set(
  "no not never dont doesnt isnt wasnt instead but should must wrong incorrect rather except without".split(
    " ",
  ),
);
