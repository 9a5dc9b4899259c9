import { expect, test } from "vitest";
import { localLinks } from "./local-links.ts";

const text = `
See [notes](notes.md), [codes](./references/codes.md#b "the codes"), ![a](<my pictures/a b.png>) and [far][far].
[home](https://example.com/a.md) [mail](mailto:a@b.md) [root](/etc/passwd) [top](#top) [spaced](a%20b.md) [bad](%zz.md)
Run \`tools/run.py\`, read \`forms.md\`, call \`python x.py\`, set \`a.b.c()\`, write \`~/x.md\` or \`/tmp/y.md\`.
<img src="img/logo.svg">

[far]: docs/far.md
`;

test("links, images and definitions are paths; addresses, anchors and absolute paths are none", () => {
  expect(localLinks(text, { inCode: false })).toEqual([
    "my pictures/a b.png",
    "notes.md",
    "./references/codes.md",
    "a b.md",
    "%zz.md",
    "docs/far.md",
    "img/logo.svg",
  ]);
});

test("a code span counts when it is nothing but a path", () => {
  const more = localLinks(text, { inCode: true }).filter(
    (path) => !localLinks(text, { inCode: false }).includes(path),
  );
  expect(more).toEqual(["tools/run.py", "forms.md"]);
});
