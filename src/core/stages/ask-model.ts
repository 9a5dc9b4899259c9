import type { Context, Place } from "../context.ts";
import { extractJson } from "../extract-json.ts";
import { InfraError, WhetstoneError } from "../errors.ts";
import { type Memoized, memo } from "../memo.ts";
import type { Message, ModelRequest, Reply } from "../ports/model.ts";
import { type Prompt, systemText } from "../prompts/prompt.ts";
import type { Json } from "../json.ts";
import type { Unit } from "../unit.ts";

/**
 * prompt → call → parse, with one bounded repair, by the model of the place's role. `undefined` means that it gave
 * nothing usable twice; the stage has a plain fallback. A model that does not answer stops the run, resumable.
 */
export async function askModel<Parsed>(
  prompt: Prompt<Parsed>,
  user: string,
  place: Place,
  context: Context,
): Promise<Parsed | undefined> {
  const system = systemText(prompt, context.settings.prompts);
  const messages: Message[] = [{ role: "user", content: user }];
  const reply = await generate(system, messages, place, context);
  const parsed = parseReply(prompt, reply);
  if (parsed.ok) return parsed.value;
  const repair: Message[] = [
    ...messages,
    ...(reply.text === "" ? [] : [{ role: "assistant" as const, content: reply.text }]),
    {
      role: "user",
      content: `That reply cannot be used: ${parsed.problem} Reply again with the one JSON object.`,
    },
  ];
  const second = parseReply(prompt, await generate(system, joinUserTurns(repair), place, context));
  return second.ok ? second.value : undefined;
}

async function generate(
  system: string,
  messages: readonly Message[],
  place: Place,
  context: Context,
): Promise<Reply> {
  const request: ModelRequest = {
    model: context.models[place.role],
    system,
    messages,
    maxTokens: context.settings.optimizerMaxTokens,
  };
  const input = request as unknown as Json;
  const unit: Unit = { kind: "generate", version: 1, input, draw: { purpose: "train", trial: 0 } };
  try {
    const { output } = await memoTwice(unit, place, context);
    return output as unknown as Reply;
  } catch (error) {
    if (!(error instanceof InfraError)) throw error;
    throw new WhetstoneError(
      "too-many-pending",
      `${request.model} (${place.role}) does not answer: ${error.message}`,
      {
        cause: error,
        hint: "Start the same command again once the provider answers: finished work is kept.",
      },
    );
  }
}

/** A call that used its tries gets them once more, as a rollout does. */
async function memoTwice(unit: Unit, place: Place, context: Context): Promise<Memoized> {
  try {
    return await memo(unit, place, context);
  } catch (error) {
    if (!(error instanceof InfraError)) throw error;
    return memo(unit, place, context);
  }
}

type ParsedReply<Parsed> =
  | { readonly ok: true; readonly value: Parsed }
  | { readonly ok: false; readonly problem: string };

/** A reply that was cut off is never parsed, however whole it looks. */
export function parseReply<Parsed>(prompt: Prompt<Parsed>, reply: Reply): ParsedReply<Parsed> {
  if (reply.finish === "length")
    return { ok: false, problem: "it was cut off at the token limit; be shorter." };
  if (reply.finish !== "stop") return { ok: false, problem: "it did not end by itself." };
  const object = extractJson(reply.text);
  if (object === null) return { ok: false, problem: "it holds no JSON object." };
  const parsed = prompt.schema.safeParse(object);
  if (parsed.success) return { ok: true, value: parsed.data };
  const issue = parsed.error.issues[0];
  return {
    ok: false,
    problem: `${issue?.path.join(".") || "the object"}: ${issue?.message ?? "wrong shape"}.`,
  };
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
