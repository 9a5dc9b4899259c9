import { expect, test } from "vitest";
import { drawEdit } from "../../../test/support/tidy/draw-edits.ts";
import { markdownFiles } from "../../../test/support/tidy/markdown-files.ts";
import { seededRandom } from "../random.ts";
import { applyEdit } from "../skill/apply-edits.ts";
import { mainText, singleFileSkill } from "../skill/skill.ts";
import { type MarkdownBlock, readBlocks } from "./blocks.ts";

/** The same text as a part of another, which nobody has read. */
function readAnew(text: string): readonly MarkdownBlock[] {
  const other = `${text}\n${Math.random()}`;
  return readBlocks(other, { start: 0, end: text.length });
}

test("a text that was changed bit by bit has the blocks of one that is read as a whole", () => {
  const files = markdownFiles();
  for (let nth = 0; nth < 150; nth += 1) {
    const random = seededRandom("blocks", nth);
    let skill = singleFileSkill(files[Math.floor(random() * files.length)]?.text ?? "");
    readBlocks(mainText(skill));
    for (let step = 0; step < 8; step += 1) {
      const edit = drawEdit(mainText(skill), random);
      ({ skill } = applyEdit(skill, edit));
      const text = mainText(skill);
      expect(readBlocks(text), `${nth} ${JSON.stringify(edit)}`).toEqual(readAnew(text));
    }
  }
});
