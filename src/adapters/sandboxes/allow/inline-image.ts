import { imageSize } from "./image-size.ts";
import { type Inspection, type FieldCheck, refuse } from "./field-checks.ts";

/** An image as a `data:` URL. An address that somebody would have to open isn't allowed. */
export const dataUrl: FieldCheck = (value, path, look) => {
  const data = typeof value === "string" ? prefix.exec(value) : null;
  if (data === null || typeof value !== "string")
    return refuse(
      `This sandbox blocks access to addresses outside: \`${path}\` must contain the image itself.`,
    );
  countImage(value.slice(data[0].length), path, look);
  return value;
};

/** An image's bytes in base64. */
export const base64Image: FieldCheck = (value, path, look) => {
  if (typeof value !== "string") return refuse(`\`${path}\` must be a string.`);
  countImage(value, path, look);
  return value;
};

const prefix = /^data:image\/(?:png|jpeg|gif|webp);base64,/;

function countImage(base64: string, path: string, look: Inspection): void {
  const size = /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? imageSize(Buffer.from(base64, "base64")) : undefined;
  if (size === undefined) return refuse(`\`${path}\` isn't a PNG, JPEG, GIF or WebP with a readable size.`);
  const [width, height] = size;
  if (Math.max(width, height) > mostPixels)
    return refuse(
      `\`${path}\` is ${width} × ${height}, but images can be at most ${mostPixels} pixels a side.`,
    );
  look.imageTokens += imageTokens(width, height);
  look.imageBytes += base64.length;
}

const mostPixels = 8000;

/**
 * The most tokens an image is billed for, by the most expensive published formulas. One: 2,833 plus 5,667 per
 * 512-pixel square after scaling to fit 2,048, then to a short side of 768. The other: 2.46 per 32-pixel square
 * without scaling. Others (a token per 750 pixels, 258 per 768-pixel square) come to less.
 */
export function imageTokens(width: number, height: number): number {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const scale = Math.min(1, 768 / (Math.min(width, height) * fit)) * fit;
  const squares = (side: number, each: number): number => Math.max(1, Math.ceil(side / each));
  const tiles = squares(width * scale, 512) * squares(height * scale, 512);
  const patches = squares(width, 32) * squares(height, 32);
  return Math.ceil(Math.max(2833 + 5667 * tiles, 2.46 * patches));
}
