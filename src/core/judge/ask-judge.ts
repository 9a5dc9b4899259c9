import type { Reply } from "../ports/model.ts";
import { type Prompt, systemText } from "../prompts/prompt.ts";
import { responseFormat } from "../prompts/response-format.ts";
import type { ScoringTools } from "../scorers/performance.ts";
import { parseReply } from "../prompts/parse-reply.ts";

export type Judge = NonNullable<ScoringTools["judge"]>;

/** Prompt → call → parse, with one bounded repair, which may be retried. `undefined`: the judge gave no usable reply. */
export async function askJudge<Parsed>(
  prompt: Prompt<Parsed>,
  text: string,
  judge: Judge,
): Promise<Parsed | undefined> {
  const system = systemText(prompt, {});
  const format = responseFormat(prompt);
  const isParsable = (reply: Reply) => parseReply(prompt, reply).ok;
  const first = parseReply(prompt, await judge({ system, prompt: text, isParsable, format }));
  if (first.ok) return first.value;
  const again = `${text}\n\nAn earlier reply to this could not be used: ${first.said} Reply with the one JSON object.`;
  const second = parseReply(
    prompt,
    await judge({ system, prompt: again, isParsable, isRepair: true, format }),
  );
  return second.ok ? second.value : undefined;
}
