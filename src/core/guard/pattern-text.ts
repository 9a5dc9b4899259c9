/** The words a regular expression spells out, with blanks for its open parts: `is\s+null|x` is "is null x". */
export function patternText(source: string): string {
  let text = "";
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (char === "\\") {
      at += 1;
      text += unescape(source.charAt(at));
    } else if (char === "[") {
      const end = classEnd(source, at);
      text += firstOfClass(source.slice(at + 1, end));
      at = end;
    } else if (char === "(") {
      at += (/^\((?:\?(?:[:=!]|<[=!]|<\w+>|[a-z-]*\)))?/.exec(source.slice(at))?.[0].length ?? 1) - 1;
      text += " ";
    } else if (char === "{") {
      at = Math.max(at, source.indexOf("}", at));
    } else if (!"*+?".includes(char)) {
      text += "^$.|)".includes(char) ? " " : char;
    }
  }
  return text;
}

/** The alternatives of a regular expression that are plain text, ignoring anchors: `^SEV1\b` is "SEV1". */
export function patternLiterals(source: string): readonly string[] {
  return splitAlternatives(source.replace(/^\(\?[a-z]+\)/, "")).flatMap((alternative) => {
    const bare = alternative.replace(/^(?:\^|\\b)+/, "").replace(/(?:\$|\\b)+$/, "");
    const spaced = bare.replaceAll(/\\s[*+?]?/g, " ");
    if (/(?<!\\)[()[\]{}*+?.^$|]|\\\w/.test(spaced)) return [];
    const literal = spaced.replaceAll(/\\(.)/g, "$1").trim();
    return literal === "" ? [] : [literal];
  });
}

function splitAlternatives(source: string): readonly string[] {
  const alternatives: string[] = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (char === "\\") at += 1;
    else if (char === "[") at = classEnd(source, at);
    else if (char === "(") depth += 1;
    else if (char === ")") depth -= 1;
    else if (char === "|" && depth === 0) {
      alternatives.push(source.slice(start, at));
      start = at + 1;
    }
  }
  return [...alternatives, source.slice(start)];
}

const unescape = (char: string): string => (/[a-zA-Z0-9]/.test(char) ? " " : char);

function classEnd(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source.charAt(at) !== "]") at += source.charAt(at) === "\\" ? 2 : 1;
  return at;
}

// [sz] in parameteri[sz]ed spells a letter of the word, [a-z] doesn't
const firstOfClass = (body: string): string => (/^\p{L}{1,3}$/u.test(body) ? body.charAt(0) : " ");
