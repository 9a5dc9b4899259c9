/** `SKILL.md:12`: where an offset of a file's text is, in lines. */
export const placeAt = (file: string, text: string, offset: number): string =>
  `${file}:${text.slice(0, offset).split("\n").length}`;
