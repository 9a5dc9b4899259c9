import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hashText } from "../../../src/core/canonical.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import type { NamedPower } from "../../../src/core/prompts/powers.ts";
import { seededRandom, shuffle } from "../../../src/core/random.ts";
import { askPowers } from "../../../src/core/stages/ask-powers.ts";
import { scriptedContext } from "../scripted-context.ts";

/** A sentence as a rule, and what it asks an agent for, by the words that people acknowledge. */
export interface Labeled {
  readonly text: string;
  readonly language: string;
  /** `asks`: for the powers named; `injection`: too, and it tells a model to answer no; all others ask for none. */
  readonly shape: "asks" | "injection" | "negation" | "safeguard" | "topic" | "quote" | "habit";
  readonly asks: readonly string[];
  /** What somebody may also see in it. */
  readonly may: readonly string[];
}

/** A recorded reply of a model to one question of `questionsFor`. */
export interface RecordedAnswer {
  readonly question: string;
  readonly reply: string;
}

export const fixtureOf = (name: string): string => join(import.meta.dirname, "../../fixtures", name);

const readRows = (path: string): unknown =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown)
    : [];

/** Mixed once and for all, so that a question has all languages and what asks for nothing beside what asks. */
export const readCorpus = (): readonly Labeled[] =>
  shuffle(readRows(fixtureOf("powers-corpus.jsonl")) as readonly Labeled[], seededRandom("powers-corpus"));

export const answersFile = fixtureOf("powers-answers.jsonl");

/** By the question's hash: a changed prompt needs new answers. */
export const readAnswers = (): ReadonlyMap<string, string> =>
  new Map(
    (readRows(answersFile) as readonly RecordedAnswer[]).map(({ question, reply }) => [question, reply]),
  );

export const nameOf = ({ system = "", messages }: ModelRequest): string =>
  hashText(JSON.stringify([system, messages])).slice(0, 16);

/** The requests by which the product asks for these texts. */
export async function questionsFor(texts: readonly string[]): Promise<readonly ModelRequest[]> {
  const { requests } = await answered(texts, () => '{ "rules": [] }');
  return requests;
}

/** What recorded replies say of these texts, read as the product reads them; and what was asked. */
export async function answered(
  texts: readonly string[],
  replyTo: (request: ModelRequest) => string | undefined,
): Promise<{
  readonly found: ReadonlyMap<string, readonly NamedPower[]>;
  readonly requests: readonly ModelRequest[];
}> {
  const context = await scriptedContext((request) => replyTo(request) ?? "");
  const place = { role: "optimizer", step: 0, stage: "update" } as const;
  return { found: await askPowers(texts, place, context), requests: context.requests };
}
