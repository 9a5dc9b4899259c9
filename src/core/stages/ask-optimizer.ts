import type { Context, Place } from "../context.ts";
import { extractJson } from "../extract-json.ts";
import { memo } from "../memo.ts";
import type { Message, ModelRequest, Reply } from "../ports/model.ts";
import { type Prompt, systemText } from "../prompts/prompt.ts";
import type { Json } from "../json.ts";

/**
 * prompt → call → parse, with one bounded repair. `undefined` means the optimizer gave nothing usable
 * twice; the stage has a plain fallback. Infrastructure failures throw.
 */
export async function askOptimizer<Parsed>(
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
    model: context.models.optimizer,
    system,
    messages,
    maxTokens: context.settings.optimizerMaxTokens,
  };
  const { output } = await memo(
    {
      kind: "generate",
      version: 1,
      input: request as unknown as Json,
      draw: { purpose: "train", trial: 0 },
    },
    place,
    context,
  );
  return output as unknown as Reply;
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
