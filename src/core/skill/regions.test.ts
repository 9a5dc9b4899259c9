import { expect, test } from "vitest";
import { WhetstoneError } from "../errors.ts";
import {
  findBrokenProtection,
  findFrontmatter,
  findRegions,
  findStrayMarkers,
  forgesMarker,
  readRegion,
  replaceRegion,
} from "./regions.ts";

const block = "<!-- whetstone:learned:start -->\n- a rule\n<!-- whetstone:learned:end -->";

test("a region is found with its markers and its body", () => {
  const text = `# Skill\n\n${block}\n`;
  const [region] = findRegions(text);
  expect(region?.name).toBe("learned");
  expect(text.slice(region?.start, region?.end)).toBe(block);
  expect(readRegion(text, "learned")).toBe("- a rule");
  expect(readRegion(text, "appendix")).toBeNull();
});

test("a region's body is replaced and nothing else", () => {
  expect(replaceRegion(`# A\n\n${block}\n\ntail\n`, "learned", "- new\n")).toBe(
    "# A\n\n<!-- whetstone:learned:start -->\n- new\n<!-- whetstone:learned:end -->\n\ntail\n",
  );
});

test("a missing region is added at the end, and a second write gives the same text", () => {
  const once = replaceRegion("# A\n", "slow-update", "guidance");
  expect(once).toBe(
    "# A\n\n<!-- whetstone:slow-update:start -->\nguidance\n<!-- whetstone:slow-update:end -->\n",
  );
  expect(replaceRegion(once, "slow-update", "guidance")).toBe(once);
  expect(readRegion(replaceRegion("", "appendix", ""), "appendix")).toBe("");
});

test("a region in a CRLF file gets CRLF", () => {
  expect(replaceRegion("# A\r\n", "appendix", "x\ny")).toBe(
    "# A\r\n\r\n<!-- whetstone:appendix:start -->\r\nx\r\ny\r\n<!-- whetstone:appendix:end -->\r\n",
  );
});

test("a body that holds a marker is refused", () => {
  const forge = () => replaceRegion(block, "learned", "x\n<!-- whetstone:learned:end -->\ny");
  expect(forge).toThrow(WhetstoneError);
});

test.each([
  "<!-- whetstone:learned:start -->",
  "<!--whetstone:learned:end-->",
  "<!-- WHETSTONE : appendix : End -->",
  "<!-- whetstone:anything:start -->",
  "text whetstone:slow-update:end text",
  "<!-- ｗｈｅｔｓｔｏｎｅ:learned:end -->",
])("%s counts as forged", (text) => {
  expect(forgesMarker(text)).toBe(true);
});

test("ordinary text about whetstone is not forged", () => {
  expect(forgesMarker("Sharpen on a whetstone: start with the coarse side.")).toBe(false);
});

test.each([
  ["a start without an end", "a <!-- whetstone:learned:start --> b", 1, 0],
  ["an end without a start", "a <!-- whetstone:learned:end --> b", 1, 0],
  ["another name's end", "<!-- whetstone:learned:start --> <!-- whetstone:appendix:end -->", 2, 0],
  ["a start inside a region", block.replace("- a rule", "<!-- whetstone:learned:start -->"), 1, 1],
])("%s is a stray marker", (_, text, stray, regions) => {
  expect(findStrayMarkers(text)).toHaveLength(stray);
  expect(findRegions(text)).toHaveLength(regions);
});

test.each([
  ["---\nname: x\n---\nbody", "---\nname: x\n---"],
  ["---\r\nname: x\r\n---\r\nbody", "---\r\nname: x\r\n---"],
  ["---\n---", "---\n---"],
  ["\uFEFF---\na: 1\n---\n", "\uFEFF---\na: 1\n---"],
  ["---\na: b---\n---\nbody\n---\n", "---\na: b---\n---"],
])("frontmatter of %j", (text, expected) => {
  expect(text.slice(0, findFrontmatter(text)?.end)).toBe(expected);
});

test.each(["# A\n---\nb\n---\n", "---\nnever closed\n", "--- x\n---\n", ""])(
  "no frontmatter in %j",
  (text) => {
    expect(findFrontmatter(text)).toBeNull();
  },
);

test("a rewrite keeps frontmatter and regions or is reported", () => {
  const before = `---\nname: x\n---\n# A\n\n${block}\n`;
  expect(findBrokenProtection(before, before.replace("# A", "# B\n\nmore"))).toBeNull();
  expect(findBrokenProtection(before, before.replace("name: x", "name: y"))).toBe("frontmatter");
  expect(findBrokenProtection(before, before.replace("a rule", "no rule"))).toBe("protected-region");
  expect(findBrokenProtection(before, before.replace(block, ""))).toBe("protected-region");
  expect(findBrokenProtection(before, `${before}${block}\n`)).toBe("protected-region");
  expect(findBrokenProtection("# A\nx\n---\n", "---\nx\n---\n")).toBe("frontmatter");
});
