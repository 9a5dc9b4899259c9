import { type MarkdownBlock, headingLevel, readBlocks } from "../markdown/blocks.ts";
import { blockWords } from "../markdown/said.ts";
import type { Edit } from "../skill/edit.ts";
import { findOpenParts } from "../skill/regions.ts";
import { inputWords } from "../tasks/near-duplicates.ts";

/**
 * The changes of a whole new text, block by block: it rewords blocks and adds some. A block that it leaves out stays, so headings,
 * the output contract and the skill's own lines are safe from a rewrite that forgets them.
 */
export function splitRewrite(before: string, after: string): readonly Edit[] {
  const [old, now] = [blocksIn(before), blocksIn(after)];
  const said = new Set(now.map(blockWords));
  const left = new Set(old.filter((block) => !said.has(blockWords(block))));
  // content that follows the same words: the last of it comes first in the text
  let run: Edit[] = [];
  const runs = [run];
  let target: string | undefined;
  let head: MarkdownBlock | undefined;
  for (const block of now) {
    const same = old.find((one) => blockWords(one) === blockWords(block));
    const known = same ?? [...left].find((one) => isReworded(one, block));
    if (known !== undefined) {
      left.delete(known);
      target = before.slice(known.start, known.end).trim();
      const content = after.slice(block.start, block.end).trim();
      run = [];
      runs.push(same === undefined ? [{ op: "replace", target, content, ...origin }] : [], run);
      head = undefined;
      continue;
    }
    // a heading and "Do this:" are nothing without the blocks behind them
    if (head !== undefined && headingLevel(block) === 0) run.shift();
    else head = block;
    const content = after.slice(head.start, block.end).trim();
    run.unshift({ op: target === undefined ? "append" : "insert_after", target, content, ...origin });
    if (headingLevel(head) === 0 && !blockWords(head).endsWith(":")) head = undefined;
  }
  runs[0]?.reverse();
  return runs.flat();
}

const origin = { evidence: [], origin: "rewrite" } as const;

const blocksIn = (text: string): readonly MarkdownBlock[] =>
  findOpenParts(text).flatMap((part) => readBlocks(text, part));

const wordsIn = (block: MarkdownBlock): ReadonlySet<string> => new Set(inputWords(blockWords(block)));

/** Whether two blocks of a kind have half of their words in common. */
function isReworded(a: MarkdownBlock, b: MarkdownBlock): boolean {
  const [one, other] = [wordsIn(a), wordsIn(b)];
  const shared = [...one].filter((word) => other.has(word)).length;
  return a.kind === b.kind && 3 * shared >= one.size + other.size;
}
