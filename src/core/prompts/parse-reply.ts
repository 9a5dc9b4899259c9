import { extractJson } from "../extract-json.ts";
import type { Reply } from "../ports/model.ts";
import { type Prompt } from "./prompt.ts";
import { type ReplyProblem, findReplyProblem, withoutThoughts } from "../unusable-reply.ts";

export type ParsedReply<Parsed> =
  | { readonly ok: true; readonly value: Parsed }
  /** `said`: what is wrong with it, for the model that is asked again. */
  | { readonly ok: false; readonly problem: ReplyProblem; readonly said: string };

/** A reply that was cut off is never parsed, however whole it looks. */
export function parseReply<Parsed>(prompt: Prompt<Parsed>, reply: Reply): ParsedReply<Parsed> {
  const problem = findReplyProblem(reply) ?? "unparsable";
  if (problem === "cut")
    return { ok: false, problem, said: "it was cut off at the token limit; be shorter." };
  if (reply.finish !== "stop") return { ok: false, problem, said: "it did not end by itself." };
  const object = (prompt.read ?? extractJson)(withoutThoughts(reply.text));
  if (object === null)
    return {
      ok: false,
      problem,
      said:
        prompt.read === undefined ? "it holds no JSON object." : "it has not the lines that were asked for.",
    };
  const parsed = prompt.schema.safeParse(object);
  if (parsed.success) return { ok: true, value: parsed.data };
  const issue = parsed.error.issues[0];
  return {
    ok: false,
    problem,
    said: `${issue?.path.join(".") || "the object"}: ${issue?.message ?? "wrong shape"}.`,
  };
}
