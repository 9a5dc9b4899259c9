/**
 * Reads a shell's text far enough to see which programs it starts with which words. It expands nothing: a word that the
 * shell would make up is marked as not plain.
 *
 * @typedef {{ text: string, plain: boolean }} Word
 * @typedef {{ words: Word[], writes: Word[], body: string }} ShellCommand
 *   `writes`: where its output is sent; `body`: what a here-document or a here-string gives it to read.
 */

/**
 * Every simple command in their order, those inside `$(…)` and backquotes too.
 *
 * @param {string} text
 * @returns {ShellCommand[]}
 */
export function readCommands(text) {
  /** @type {ShellCommand[]} */
  const commands = [];
  /** @type {ShellCommand[]} */
  const nested = [];
  /** Here-documents whose bodies begin at the next line. @type {{ end: string, of: ShellCommand }[]} */
  const waiting = [];
  let command = newCommand();
  /** @type {Word | undefined} */
  let word;
  /** What the word becomes that comes next. @type {"words" | "writes" | "body"} */
  let part = "words";
  /** Up to here `<<` shifts a number. */
  let arithmeticEnd = 0;
  let at = 0;

  const add = (/** @type {string} */ more, plain = true) => {
    word ??= { text: "", plain: true };
    word.text += more;
    word.plain &&= plain;
  };
  const endWord = () => {
    if (word === undefined) return;
    if (part === "body") command.body += `${word.text}\n`;
    else command[part].push(word);
    word = undefined;
    part = "words";
  };
  const endCommand = () => {
    endWord();
    part = "words";
    if (command.words.length + command.writes.length > 0) commands.push(command);
    command = newCommand();
  };
  /** Goes to the end of what is opened at `from`, and reads it as commands of its own. */
  const openNested = (/** @type {number} */ from, /** @type {string} */ close) => {
    const end = findClose(text, from, close);
    nested.push(...readCommands(text.slice(from, end)));
    add(text.slice(from, end), false);
    return end + close.length;
  };

  while (at < text.length) {
    const here = text[at] ?? "";
    const two = text.slice(at, at + 2);
    if (here === "\\") {
      if (text[at + 1] !== "\n") add(text[at + 1] ?? "");
      at += 2;
    } else if (here === "$" && /["']/.test(text[at + 1] ?? "")) {
      // what is escaped in it is not read
      add("", !/^\$'[^']*\\/.test(text.slice(at)));
      at += 1;
    } else if (here === "'") {
      const end = text.indexOf("'", at + 1);
      add(text.slice(at + 1, end < 0 ? undefined : end));
      at = end < 0 ? text.length : end + 1;
    } else if (here === '"') {
      at += 1;
      add("");
      while (at < text.length && text[at] !== '"') {
        if (text[at] === "\\" && /["\\$`\n]/.test(text[at + 1] ?? "")) {
          add(text[at + 1] ?? "");
          at += 2;
        } else if (text.startsWith("$(", at)) at = openNested(at + 2, ")");
        else if (text[at] === "`") at = openNested(at + 1, "`");
        else {
          add(text[at] ?? "", text[at] !== "$");
          at += 1;
        }
      }
      at += 1;
    } else if (two === "$(" || two === "<(" || two === ">(") at = openNested(at + 2, ")");
    else if (here === "`") at = openNested(at + 1, "`");
    else if (/[ \t]/.test(here)) {
      endWord();
      at += 1;
    } else if (here === "#" && word === undefined) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
    } else if (text.startsWith("<<<", at)) {
      endWord();
      part = "body";
      at += 3;
    } else if (two === "<<" && at >= arithmeticEnd) {
      endWord();
      const [all = "", , end = ""] = /^<<(-?)[ \t]*\\?["']?([^\s"'<>|;&()]+)["']?/.exec(text.slice(at)) ?? [
        "<<",
      ];
      if (end !== "") waiting.push({ end, of: command });
      at += all.length;
    } else if (here === ">" || two === "&>") {
      if (word !== undefined && /^\d+$/.test(word.text)) word = undefined;
      endWord();
      const [all = ">"] = /^&?>[>|]?(?:&(?=[\d-]))?/.exec(text.slice(at)) ?? [];
      if (!all.endsWith("&")) part = "writes";
      at += all.length;
    } else if (here === "<") {
      endWord();
      at += 1;
    } else if (/[;&|()\n]/.test(here)) {
      endCommand();
      if (two === "((") {
        const end = findClose(text, at + 2, ")");
        if (text[end + 1] === ")") arithmeticEnd = end;
      }
      at += 1;
      if (here === "\n")
        for (const { end, of } of waiting.splice(0)) {
          const rest = text.slice(at);
          const close = new RegExp(`^[\\t]*${escapeRegExp(end)}[ \\t]*$`, "m").exec(rest);
          of.body += rest.slice(0, close?.index);
          at += close === null ? rest.length : close.index + close[0].length;
        }
    } else {
      add(here, here !== "$");
      at += 1;
    }
  }
  endCommand();
  return [...nested, ...commands];
}

/** @returns {ShellCommand} */
const newCommand = () => ({ words: [], writes: [], body: "" });

/** Where the bracket or backquote is that closes what was opened before `from`. */
function findClose(/** @type {string} */ text, /** @type {number} */ from, /** @type {string} */ close) {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (close === ")" && text[at] === "'") {
      const end = text.indexOf("'", at + 1);
      if (end < 0) return text.length;
      at = end;
    } else if (text[at] === close && depth === 0) return at;
    else if (text[at] === "(") depth += 1;
    else if (text[at] === ")") depth -= 1;
  }
  return text.length;
}

export const escapeRegExp = (/** @type {string} */ text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
