import { wordKey } from "../leak-words.ts";
import { type FoundPower, found } from "./addresses.ts";
import type { PowerText } from "./power-text.ts";

/** Finds sentences of the old text that keep an agent from harm and are missing from the new one, even in other words. */
export function findLostSafeguards(text: PowerText, old: PowerText): readonly FoundPower[] {
  const kept = text.sentences
    .filter((sentence) => isSafeguard(sentence.text))
    .map(({ text: each }) => topics(each));
  return old.sentences
    .filter((sentence) => isSafeguard(sentence.text))
    .filter((sentence) => !kept.some((words) => isLike(topics(sentence.text), words)))
    .map((sentence) => found("safeguard", sentence));
}

const isSafeguard = (sentence: string): boolean => restraint.test(sentence) && stake.test(sentence);

const restraint =
  /\b(?:never|do not|don't|must not|may not|should not|shouldn't|only (?:after|with|when|if)|(?:always )?(?:ask|check|confirm) (?:\w+ ){0,3}(?:first|before)|requires? (?:\w+ ){0,2}(?:approval|review|confirmation)|without (?:\w+ )?(?:approval|asking|review|permission)|keep (?:\w+ )?out of|forbidden|not allowed)\b/i;

const stake =
  /\b(?:secrets?|passwords?|tokens?|keys?|credentials?|push|force-?push|deploy\w*|publish\w*|delet\w+|production|main|master|sudo|root|permissions?|approv\w+|confirm\w*|tests?|personal|private|confidential|install\w*|network|internet|upload\w*|send|share|instructions|untrusted|sandbox\w*|payments?|hooks?|customer data|leak\w*|expos\w+)\b|--no-verify|\.env\b/i;

const topics = (sentence: string): ReadonlySet<string> =>
  new Set(
    wordKey(sentence)
      .split(" ")
      .filter((word) => word.length >= 4),
  );

function isLike(lost: ReadonlySet<string>, kept: ReadonlySet<string>): boolean {
  const shared = [...lost].filter((word) => kept.has(word)).length;
  return shared >= 0.6 * lost.size;
}
