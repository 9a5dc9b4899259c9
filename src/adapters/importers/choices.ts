/** A question with choices, as every format with choices asks it: by letters, and the letter alone is the answer. */
export const askChoices = (
  choices: readonly string[],
  right: number,
): { readonly written: string; readonly system: string; readonly answer: string } => ({
  written: `\n\n${choices.map((text, at) => `${letter(at)}) ${text}`).join("\n")}`,
  system: "Answer with the letter of the right choice alone.",
  answer: letter(right),
});

const letter = (at: number): string => String.fromCharCode(65 + at);
