import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WhetstoneError } from "../../errors.ts";
import { forgesMarker } from "../../skill/regions.ts";
import { editRules, readRules, ruleText } from "./learned-block.ts";

const start = "<!-- whetstone:learned:start -->";
const end = "<!-- whetstone:learned:end -->";

const block = (body: string): string => `# Notes\n\nMine.\n\n${start}\n${body}${end}\n\nMine too.  \n`;

function edited(text: string, edit: Parameters<typeof editRules>[1]): string {
  const result = editRules(text, edit);
  if (!result.ok) throw new Error(result.reason);
  return result.text;
}

const reasonOf = (text: string, edit: Parameters<typeof editRules>[1]): string => {
  const result = editRules(text, edit);
  return result.ok ? "" : result.reason;
};

describe("reading", () => {
  test("a rule has everything that belongs to its list item", () => {
    const text = block(
      [
        "- One line.",
        "- Goes on",
        "  below, lazily too",
        "here.",
        "- Has a list:",
        "  - first",
        "  - second",
        "",
        "  and a closing word.",
        "- Has code:",
        "  ```sh",
        "  npm run lint",
        "",
        "  - not a rule",
        "  ```",
        "- Has code at the margin:",
        "```sh",
        "- not a rule either",
        "```",
        "* Starred.",
        "3. Numbered",
        "   and indented.",
        "",
      ].join("\n"),
    );
    expect(readRules(text)).toEqual([
      "One line.",
      "Goes on\nbelow, lazily too\nhere.",
      "Has a list:\n- first\n- second\n\nand a closing word.",
      "Has code:\n```sh\nnpm run lint\n\n- not a rule\n```",
      "Has code at the margin:\n```sh\n- not a rule either\n```",
      "Starred.",
      "Numbered\nand indented.",
    ]);
  });

  test("what stands in the block and is no list item is no rule, and stays", () => {
    const text = block("\n## Learned\n\nSome words.\n\n- A rule.\n\n```\n- code\n```\n");
    expect(readRules(text)).toEqual(["A rule."]);
    expect(edited(text, { op: "add", text: "Another." })).toBe(
      text.replace("- A rule.\n", "- A rule.\n- Another.\n"),
    );
  });

  test("a block of code that never ends does not outlive its item", () => {
    expect(readRules(block("- Run:\n  ```sh\n  make\n- Next.\n"))).toEqual(["Run:\n```sh\nmake", "Next."]);
  });
});

describe("editing", () => {
  test("a text without a block gets one at its end, and keeps its own bytes", () => {
    expect(edited("", { op: "add", text: "Use pnpm." })).toBe(`${start}\n- Use pnpm.\n${end}\n`);
    const live = "# Mine\r\n\r\n\r\n\r\nwords  \r\n";
    const text = edited(live, { op: "add", text: "Use pnpm.\nAlways." });
    expect(text).toBe(`${live}\r\n${start}\r\n- Use pnpm.\r\n  Always.\r\n${end}\r\n`);
  });

  test("a replaced rule keeps its place and its marker, a deleted one takes its lines along", () => {
    const text = block("1. First.\n2. Second\n   line.\n3. Third.\n");
    expect(edited(text, { op: "replace", target: "Second\nline.", text: "New\nlines." })).toBe(
      block("1. First.\n2. New\n   lines.\n3. Third.\n"),
    );
    expect(edited(text, { op: "delete", target: "Second\nline." })).toBe(block("1. First.\n3. Third.\n"));
  });

  test("the same rule is not added twice, in whatever dress", () => {
    const text = block("- Use pnpm.\n");
    for (const same of ["Use pnpm.", "- Use pnpm.", "  * Use pnpm.\r\n"]) {
      expect(reasonOf(text, { op: "add", text: same })).toBe("the document has this rule already");
    }
  });

  test("a target that is missing or there twice is reported, and nothing changes", () => {
    const text = block("- Same.\n* Same.\n");
    expect(reasonOf(text, { op: "delete", target: "Same." })).toBe(
      "the rule that it changes is there more than once",
    );
    expect(reasonOf(text, { op: "delete", target: "Sam" })).toBe("the rule that it changes isn't there");
    expect(reasonOf(text, { op: "replace", target: "Other.", text: "x" })).toBe(
      "the rule that it changes isn't there",
    );
    expect(reasonOf(text, { op: "delete", target: "Mine too." })).toBe(
      "the rule that it changes isn't there",
    );
  });

  test("a rule that forges a marker or says nothing is not written", () => {
    expect(reasonOf("", { op: "add", text: " - \n" })).not.toBe("");
    expect(reasonOf("", { op: "add", text: `x ${end}` })).toBe("it contains something like a region marker");
  });
});

describe("faults of the original", () => {
  test("fault 24: a rule that begins with --no-verify keeps its dashes", () => {
    const rule = "--no-verify is never to be used.";
    const text = edited("", { op: "add", text: rule });
    expect(text).toContain(`- ${rule}\n`);
    expect(readRules(text)).toEqual([rule]);
    const later = edited(text, { op: "add", text: "Another." });
    expect(readRules(later)).toEqual([rule, "Another."]);
  });

  test("fault 24: a rule of several lines stays whole over fifty nights", () => {
    const rule = "Before a commit:\n1. format\n2. lint\n\n   ```sh\n   npm test\n   ```\n\nThen push.";
    let text = edited("# Mine\n", { op: "add", text: rule });
    for (let night = 1; night <= 50; night += 1) {
      text = edited(text, { op: "add", text: `Rule of night ${night}.` });
      if (night > 1) text = edited(text, { op: "delete", target: `Rule of night ${night - 1}.` });
      expect(readRules(text)).toEqual([rule, `Rule of night ${night}.`]);
    }
    expect(text.startsWith("# Mine\n")).toBe(true);
  });

  test("fault 24: a missing or doubled marker is an error, and nothing behind it is lost", () => {
    const broken = [
      `# Mine\n${start}\n- a\n\nAll that follows.\n`,
      `- a\n${end}\nAll that follows.\n`,
      `${start}\n- a\n${start}\n- b\n${end}\n`,
      `${start}\n- a\n${end}\n${start}\n- b\n${end}\n`,
      `${start}\n- a\n${end}\n${end}\n`,
      `<!-- whetstone:learned:start-->\n- a\n<!--whetstone:learned:end -->\n`,
      `<!-- whetstone:appendix:start -->\n- a\n`,
    ];
    for (const text of broken) {
      expect(() => readRules(text)).toThrow(WhetstoneError);
      expect(() => editRules(text, { op: "add", text: "x" })).toThrow(
        expect.objectContaining({ code: "skill-invalid" }),
      );
    }
  });

  test("fault 24: blank lines outside the block do not collapse", () => {
    const text = `# Mine\n\n\n\none\n\n\n\n${start}\n- a\n${end}\n\n\n\ntwo\n\n\n`;
    const after = edited(edited(text, { op: "add", text: "b" }), { op: "delete", target: "a" });
    expect(after).toBe(text.replace("- a\n", "- b\n"));
  });
});

const line = fc.oneof(
  fc.string({ maxLength: 24 }),
  fc.constantFrom(
    "",
    "- a",
    "  - b",
    "    c",
    "1. d",
    "```sh",
    "```",
    "~~~",
    "# h",
    "--no-verify",
    "---",
    "\te",
    "> q",
  ),
);
const prose = fc
  .array(line, { maxLength: 8 })
  .map((lines) => lines.join("\n"))
  .filter((text) => !forgesMarker(text));
const ending = fc.constantFrom("\n", "\r\n");

/** A block with anything in it, between anything. */
const anyDocument = fc
  .record({ before: prose, body: prose, after: prose, ending, hasBlock: fc.boolean() })
  .map(({ before, body, after, ending: lineEnd, hasBlock }) => ({
    before: `${before}\n`.replaceAll(/\r?\n/g, lineEnd),
    after: `\n${after}`.replaceAll(/\r?\n/g, lineEnd),
    body: `\n${body}\n`.replaceAll(/\r?\n/g, lineEnd),
    hasBlock,
  }))
  .map(({ before, body, after, hasBlock }) => ({
    before,
    after,
    hasBlock,
    text: hasBlock ? `${before}${start}${body}${end}${after}` : before,
  }));

describe("whatever a document and a rule look like", () => {
  test("an added rule is read back as it was written, and all other rules too", () => {
    fc.assert(
      fc.property(anyDocument, prose, ({ text, before, after, hasBlock }, rule) => {
        const known = readRules(text);
        const result = editRules(text, { op: "add", text: rule });
        if (!result.ok) return;
        expect(readRules(result.text)).toEqual([...known, ruleText(rule)]);
        expect(result.text.startsWith(before)).toBe(true);
        if (hasBlock) expect(result.text.endsWith(end + after)).toBe(true);
        expect(editRules(result.text, { op: "add", text: rule }).ok).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test("adding and deleting give the same bytes again, but for the block's own markers", () => {
    fc.assert(
      fc.property(anyDocument, prose, ({ text, hasBlock }, rule) => {
        const added = editRules(text, { op: "add", text: rule });
        if (!added.ok || !hasBlock) return;
        const gone = editRules(added.text, { op: "delete", target: rule });
        if (!gone.ok) return;
        const blanks = /[ \t\r\n]+/g;
        expect(gone.text.replaceAll(blanks, " ")).toBe(text.replaceAll(blanks, " "));
        expect(readRules(gone.text)).toEqual(readRules(text));
      }),
      { numRuns: 1000 },
    );
  });

  test("a replaced rule changes nothing but itself", () => {
    fc.assert(
      fc.property(anyDocument, prose, fc.nat(), ({ text, before, after, hasBlock }, rule, pick) => {
        const known = readRules(text);
        const target = known[pick % Math.max(known.length, 1)];
        if (target === undefined || !hasBlock) return;
        const result = editRules(text, { op: "replace", target, text: rule });
        if (!result.ok) return;
        expect(readRules(result.text)).toEqual(
          known.map((each) => (each === target ? ruleText(rule) : each)),
        );
        expect(result.text.startsWith(before)).toBe(true);
        expect(result.text.endsWith(end + after)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test("most plain rules can be added", () => {
    const words = fc.array(fc.stringMatching(/^[a-zA-Z`'.,-]{1,10}$/), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(anyDocument, words, ({ text }, rule) => {
        const plain = `Rule ${rule.join(" ")}`;
        if (readRules(text).includes(plain)) return;
        const isSwallowed = /```|~~~/.test(text);
        if (!isSwallowed) expect(editRules(text, { op: "add", text: plain }).ok).toBe(true);
      }),
    );
  });
});
