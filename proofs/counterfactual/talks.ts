import type { TalkAgent } from "../two-weeks/talks.ts";

export const rule = "Install packages with pnpm in this project, never with npm.";

/** A person's prompts; the last corrects what the one before it brought about. */
export interface PlannedTalk {
  readonly opening?: string;
  readonly request: string;
  readonly correction: string;
  /** What the agent said to the request, and then to the correction. */
  readonly answers: readonly [string, string];
}

const names: Readonly<Record<TalkAgent, readonly string[]>> = {
  "claude-code": ["vite", "knip", "tsx", "undici", "pino", "got"],
  codex: ["zod", "nanoid", "ms", "dotenv", "execa", "yargs"],
};

const corrections = [
  "no, use pnpm here, not npm",
  "that's wrong, we install with pnpm",
  "don't use npm, pnpm please",
  "no npm in this project, pnpm",
  "I said pnpm, not npm",
  "no, pnpm",
];

/** The person gives the same rule in words of their own; of the last talk nobody can tell from its answers why they corrected it. */
export const talksWith = (agent: TalkAgent): readonly PlannedTalk[] =>
  names[agent].map((name, at) => ({
    ...(at % 2 === 0 ? { opening: `What does src/app.js do? I ask because of ${name}.` } : {}),
    request: `Add the package ${name} to the project.`,
    correction: corrections[at] ?? "",
    answers: [
      `I installed ${name} with ${at === 5 ? "pnpm" : "npm"}.`,
      `I installed ${name} with pnpm, as you want.`,
    ],
  }));

export const openingAnswer = "It greets.";

/** The package that a request is about. */
export const packageIn = (text: string): string | undefined => /Add the package (\w+) to/.exec(text)?.[1];
