/**
 * Relative paths in a markdown text: targets of links and images and, with `inCode`, code spans that consist of a path.
 * Excludes URLs, absolute paths and anchors.
 */
export function localLinks(text: string, { inCode }: { readonly inCode: boolean }): readonly string[] {
  const patterns = inCode ? [...links, codeSpan] : links;
  const found = patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, path = ""]) => path));
  return [...new Set(found.flatMap(localPath))];
}

const links = [
  // [notes](notes.md), [notes](notes.md "a title"), [notes](<my notes.md>)
  /\]\(\s*<([^<>\n]+)>[^()\n]*\)/g,
  /\]\(\s*([^()\s<>]+)[^()\n]*\)/g,
  /^ {0,3}\[[^\]\n]+\]:\s*<?([^\s<>]+)/gm,
  /\b(?:href|src)\s*=\s*["']([^"'\n]+)["']/g,
];

// `notes.md`, `./tools/run.py`: a name with an extension, after optional folders
const codeSpan = /(?<!`)`((?:\.\/)?(?:[\w@.-]+\/)*[\w@-][\w@.-]*\.\w{1,8})`(?!`)/g;

function localPath(written: string): readonly string[] {
  if (/^(?:[a-z][a-z\d+.-]*:|[/\\~#?])/i.test(written)) return [];
  const [path = ""] = written.split(/[?#]/, 1);
  try {
    return path === "" ? [] : [decodeURIComponent(path)];
  } catch {
    return [path];
  }
}
