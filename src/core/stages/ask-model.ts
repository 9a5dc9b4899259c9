import { generateKind } from "../work/unit-kinds.ts";
import { type ParsedReply, parseReply } from "../prompts/parse-reply.ts";
import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import { InfraError } from "../errors.ts";
import { type Memoized, memo } from "../work/memo.ts";
import type { Message, ModelRequest, Reply } from "../ports/model.ts";
import { contractIn } from "../prompts/plain-lines.ts";
import { type Prompt, systemText } from "../prompts/prompt.ts";
import { type Unit, unitKey } from "../work/unit.ts";
import { responseFormat } from "../prompts/response-format.ts";
import { requestBody } from "./request-body.ts";
import { withoutThoughts } from "../unusable-reply.ts";
import { unanswered } from "../unanswered.ts";
import { tellUnusable } from "../measure/tell-unusable.ts";

/**
 * prompt → call → parse, with one bounded repair, by the model of the place's role. `undefined` means that it gave
 * nothing usable twice, or that it is not asked; the stage has a plain fallback. A model that does not answer stops the run, resumable.
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

/** The same; where nothing usable came, what was wrong with the last reply. */
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
  // the repair would be longer still
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
  return (await askOnce(prompt, joinUserTurns(repair), place, context)).parsed;
}

/** One question, told when its reply cannot be used. */
export async function askOnce<Parsed>(
  given: Prompt<Parsed>,
  messages: readonly Message[],
  place: Place,
  context: Context,
): Promise<{ readonly reply: Reply; readonly parsed: ParsedReply<Parsed> }> {
  const prompt = contractIn(given, context.settings) ?? given;
  const system = systemText(prompt, context.settings.prompts);
  const { key, reply } = await generate(
    { system, messages, ...requestBody(place.role, context, responseFormat(prompt)) },
    place,
    context,
  );
  const parsed = typeof reply === "string" ? tooLong(reply) : parseReply(prompt, reply);
  if (!parsed.ok) tellUnusable({ key, ...parsed }, place, context);
  return { reply: typeof reply === "string" ? noReply : reply, parsed };
}

const tooLong = (said: string) => ({ ok: false, problem: "too-long", said }) as const;
const noReply: Reply = { text: "", finish: "other", usage: { inputTokens: 0, outputTokens: 0 } };

/** The reply, or what the provider said of a prompt that is too long. */
async function generate(
  asked: Pick<ModelRequest, "system" | "messages" | "body">,
  place: Place,
  context: Context,
): Promise<{ readonly key: string; readonly reply: Reply | string }> {
  const request: ModelRequest = {
    model: context.models[place.role],
    ...asked,
    maxTokens: context.settings.optimizerMaxTokens,
  };
  const unit = generateKind.unit(request, { purpose: "train", trial: 0 });
  try {
    const { key, output } = await memoTwice(unit, place, context);
    return { key, reply: generateKind.readOutput(output) };
  } catch (error) {
    if (!(error instanceof InfraError)) throw error;
    if (error.class === "prompt-refused")
      return { key: unitKey(unit, context.settings.fresh), reply: error.message };
    throw unanswered(request.model, place.role, error);
  }
}

/** A call that used its tries gets them once more, as a rollout does. */
async function memoTwice(unit: Unit, place: Place, context: Context): Promise<Memoized> {
  try {
    return await memo(unit, place, context);
  } catch (error) {
    if (!(error instanceof InfraError) || error.class === "prompt-refused" || place.once === true)
      throw error;
    return memo(unit, place, context);
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
