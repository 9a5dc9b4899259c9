/**
 * Whether a sentence does nothing but forbid: "Never commit `.env` files." One with an exception, a condition or a second
 * part, and one that forbids leaving something undone, may well demand it.
 */
export const forbids = (sentence: string): boolean =>
  /^\W*(?:please\s+)?(?:never|do not|don't|avoid|must not|you must not|should not|you should not|no)\s+(?:ever\s+)?/i.test(
    sentence,
  ) &&
  forbiddenDeed.test(sentence) &&
  !escape.test(sentence) &&
  !/[:;]|[.!?]\s|\s[-–—]+\s/.test(sentence.replace(/[.!]+$/, "")) &&
  !secondPart.test(sentence);

const forbiddenDeed =
  /^\W*(?:please\s+)?(?:never|do not|don't|avoid|must not|you must not|should not|you should not|no)\s+(?:ever\s+)?(?:log|print|commit|hard-?code|expose|paste|echo|leak|store|writ|us|run|call|execut|read|open|install|includ|put|add|push|edit|touch|modif|delet|send|upload|post|share|put|trust|follow|accept|copy|embed|publish|force|chang|creat|overwrit|import|download|fetch|skip|disabl|bypass|ignor|suppress|swallow|comment|weaken|remov|drop|deploy|merg|rely|silenc|mask|return|rewrite|alter)\w*\b/i;

const escape =
  /\b(?:unless|except|but|instead|rather|until|till|without|before|after|always|then|otherwise|only|if|when|while|because|since|once|first|other than|anything|else|must|should|need|forget|and)\b|n't\b[^]*n't\b|\b(?:not|never)\b[^]*\b(?:not|never)\b/i;

/** After a comma something else may be asked for. */
const secondPart =
  /,[^]*(?:`|:\/\/|\b(?:run|execute|use|send|post|upload|print|paste|install|add|put|write|read|copy|fetch|call|push|commit|open|store|include|share|mail|keep|make|do|try|take|get|let|just|please|show|log|give|tell|leave|skip|delete|remove)\b)/i;
