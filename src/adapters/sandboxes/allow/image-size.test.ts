import { expect, test } from "vitest";
import { emptyPng } from "../../../../test/support/hostile-requests.ts";
import { imageSize } from "./image-size.ts";
import { imageTokens } from "./inline-image.ts";

const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );

// biome-ignore format: one segment, one line
const frame = (marker: number, height: number, width: number) =>
  [0xff, marker, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0];
const scan = [0xff, 0xda, 0, 8];
const gifScreen = bytes("GIF89a", [10, 0, 20, 0, 0x80, 0, 0], [0, 0, 0, 1, 1, 1]);
const gifFrame = [0x2c, 0, 0, 0, 0, 0, 4, 0, 3, 0, 2, 1, 7, 0];

test.each([
  ["PNG", emptyPng(2048, 768), [2048, 768]],
  ["JPEG", bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1], frame(0xc0, 300, 400), scan), [400, 300]],
  [
    "JPEG with two frames",
    bytes([0xff, 0xd8], frame(0xc0, 1, 1), frame(0xc2, 5000, 6000), scan),
    [6000, 5000],
  ],
  [
    "GIF whose frame is larger than its screen",
    bytes(gifScreen.toString("latin1"), [0x21, 0xf9, 1, 0, 0], gifFrame, [0x3b]),
    [1024, 768],
  ],
  ["WebP", bytes("RIFF....WEBPVP8 ....", [0, 0, 0, 0x9d, 1, 0x2a], [0x40, 0x01, 0xf0, 0x40]), [320, 240]],
  [
    "WebP without loss",
    bytes(
      "RIFF....WEBPVP8L....",
      [0x2f],
      [(320 - 1) & 255, ((320 - 1) >> 8) | ((239 & 3) << 6), 239 >> 2, 0],
    ),
    [320, 240],
  ],
  ["WebP, extended", bytes("RIFF....WEBPVP8X....", [0, 0, 0, 0], [255, 15, 0, 255, 7, 0]), [4096, 2048]],
])("the size of a picture is read from its header: %s", (_, picture, size) => {
  expect(imageSize(picture)).toEqual(size);
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["a PDF", Buffer.from("%PDF-1.7 and much more than that")],
  ["a cut PNG", emptyPng(10, 10).subarray(0, 18)],
  ["a PNG without pixels", emptyPng(0, 10)],
  ["a JPEG that never begins its scan", bytes([0xff, 0xd8], frame(0xc0, 3, 4))],
  ["a JPEG without height", bytes([0xff, 0xd8], frame(0xc0, 0, 4), scan)],
  ["a cut GIF", gifScreen],
])("a picture whose size cannot be read has none: %s", (_, picture) => {
  expect(imageSize(picture)).toBeUndefined();
});

test.each([
  [1, 1, 2833 + 5667],
  [2048, 768, 2833 + 5667 * 8],
  [8000, 8000, 153_750],
])("a picture of %i × %i is counted by the dearest published way", (width, height, tokens) => {
  expect(imageTokens(width, height)).toBe(tokens);
});
