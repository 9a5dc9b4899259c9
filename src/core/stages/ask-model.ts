import { generateKind } from "../work/unit-kinds.ts";
import { type ParsedReply, parseReply } from "../prompts/parse-reply.ts";
import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { InfraError } from "../errors.ts";
import type { Memoized } from "../work/memo.ts";
import { memoReply } from "../work/memo-reply.ts";
import type { Message, ModelRequest, Reply } from "../ports/model.ts";
import { contractIn } from "../prompts/plain-lines.ts";
import { type Prompt, systemText } from "../prompts/prompt.ts";
import { unitKey } from "../work/unit.ts";
import { responseFormat } from "../prompts/response-format.ts";
import { requestBody } from "./request-body.ts";
import { withoutThoughts } from "../unusable-reply.ts";
import { unanswered } from "../unanswered.ts";
import { tellUnusable } from "../measure/tell-unusable.ts";

/**
 * prompt → call → parse, with up to two repair attempts, by the model of the place's role. `undefined`: it gave nothing
 * usable, or isn't asked, and the stage falls back. A model that doesn't answer stops the run, which can be resumed.
 */
export async function askModel<Parsed>(
  prompt: Prompt<Parsed>,
  user: string,
  place: Place,
  context: Context,
): Promise<Parsed | undefined> {
  const answer = await askWithReason(prompt, user, place, context);
  return answer.ok ? answer.value : undefined;
}

/** The same, but with the problem of the last reply if nothing usable came. */
export async function askWithReason<Parsed>(
  prompt: Prompt<Parsed>,
  user: string,
  place: Place,
  context: Context,
): Promise<ParsedReply<Parsed>> {
  const messages: Message[] = [{ role: "user", content: user }];
  const contract = contractIn(prompt, context.settings);
  if (contract === undefined) return { ok: false, problem: "unparsable", said: "it is not asked for." };
  const { reply, parsed } = await askOnce(prompt, messages, place, context);
  // the repair would be even longer
  if (parsed.ok || parsed.problem === "too-long") return parsed;
  const text = withoutThoughts(reply.text);
  const repair: Message[] = [
    ...messages,
    ...(text === "" ? [] : [{ role: "assistant" as const, content: text }]),
    {
      role: "user",
      content: `That reply cannot be used: ${parsed.said} Reply again with ${contract.read === undefined ? "the one JSON object" : "the lines that were asked for"}.`,
    },
  ];
  return (await askOnce(prompt, joinUserTurns(repair), place, context, repairTries)).parsed;
}

/** Repair attempts: three calls in all, with the question. */
export const repairTries = 2;

/** Asks one question, and reports a reply that can't be used. */
export async function askOnce<Parsed>(
  given: Prompt<Parsed>,
  messages: readonly Message[],
  place: Place,
  context: Context,
  tries = 1,
): Promise<{ readonly reply: Reply; readonly parsed: ParsedReply<Parsed> }> {
  const prompt = contractIn(given, context.settings) ?? given;
  const request: ModelRequest = {
    model: context.models[place.role],
    system: systemText(prompt, context.settings.prompts),
    messages,
    ...requestBody(place.role, context, responseFormat(prompt)),
    maxTokens: context.settings.optimizerMaxTokens,
  };
  const unit = generateKind.unit(request, { purpose: "train", trial: 0 });
  const read = ({ output }: Memoized) => {
    const reply = generateKind.readOutput(output);
    // don't send megabytes back to a model just because it sent them
    if (reply.text.length > request.maxTokens * mostCharacters)
      return {
        reply: noReply,
        parsed: { ok: false, problem: "cut", said: "it is longer than was allowed." } as const,
      };
    return { reply, parsed: parseReply(prompt, reply) };
  };
  const isUsable = (memoized: Memoized): boolean => {
    const { parsed } = read(memoized);
    if (!parsed.ok) tellUnusable({ key: memoized.key, ...parsed }, place, context);
    return parsed.ok;
  };
  try {
    return read(await twice(() => memoReply(unit, place, context, { isUsable, tries }), place));
  } catch (error) {
    if (!(error instanceof InfraError)) throw error;
    if (error.class !== "prompt-refused") throw unanswered(request.model, place.role, error);
    const parsed = tooLong(error.message);
    tellUnusable({ key: unitKey(unit, context.settings.fresh), ...parsed }, place, context);
    return { reply: noReply, parsed };
  }
}

/** Characters per token, as models count tokens. */
const mostCharacters = 16;

const tooLong = (said: string) => ({ ok: false, problem: "too-long", said }) as const;
const noReply: Reply = { text: "", finish: "other", usage: { inputTokens: 0, outputTokens: 0 } };

/** A call that used up its tries gets them once more, like a rollout. */
async function twice(call: () => Promise<Memoized>, place: Place): Promise<Memoized> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof InfraError) || error.class === "prompt-refused" || place.once === true)
      throw error;
    return call();
  }
}

/** Providers refuse two user turns in a row. */
function joinUserTurns(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === message.role) {
      joined[joined.length - 1] = { role: last.role, content: `${last.content}\n\n${message.content}` };
    } else {
      joined.push(message);
    }
  }
  return joined;
}
