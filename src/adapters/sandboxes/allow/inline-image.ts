import { imageSize } from "./image-size.ts";
import { type Inspection, type FieldCheck, refuse } from "./field-checks.ts";

/** A picture as a `data:` URL; an address that somebody would have to open is none. */
export const dataUrl: FieldCheck = (value, path, look) => {
  const data = typeof value === "string" ? prefix.exec(value) : null;
  if (data === null || typeof value !== "string")
    return refuse(`This sandbox lets nothing reach outside: \`${path}\` must hold the picture itself.`);
  countImage(value.slice(data[0].length), path, look);
  return value;
};

/** A picture's bytes in base64. */
export const base64Image: FieldCheck = (value, path, look) => {
  if (typeof value !== "string") return refuse(`\`${path}\` must be a text.`);
  countImage(value, path, look);
  return value;
};

const prefix = /^data:image\/(?:png|jpeg|gif|webp);base64,/;

function countImage(base64: string, path: string, look: Inspection): void {
  const size = /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? imageSize(Buffer.from(base64, "base64")) : undefined;
  if (size === undefined) return refuse(`\`${path}\` is no PNG, JPEG, GIF or WebP whose size can be read.`);
  const [width, height] = size;
  if (Math.max(width, height) > mostPixels)
    return refuse(
      `\`${path}\` is ${width} × ${height}; at most ${mostPixels} pixels a side are let through.`,
    );
  look.imageTokens += imageTokens(width, height);
  look.imageBytes += base64.length;
}

const mostPixels = 8000;

/**
 * The most tokens that a picture is billed for, by the dearest of the published ways to count: 2,833 and 5,667 for each
 * square of 512 pixels once it is scaled to fit 2,048 and then to a short side of 768; or 2.46 for each square of 32
 * pixels, unscaled. Others (a token for 750 pixels, 258 for a square of 768) come to less.
 */
export function imageTokens(width: number, height: number): number {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const scale = Math.min(1, 768 / (Math.min(width, height) * fit)) * fit;
  const squares = (side: number, each: number): number => Math.max(1, Math.ceil(side / each));
  const tiles = squares(width * scale, 512) * squares(height * scale, 512);
  const patches = squares(width, 32) * squares(height, 32);
  return Math.ceil(Math.max(2833 + 5667 * tiles, 2.46 * patches));
}
