import { fingerprint } from "../../../core/guard/shared-text.ts";
import type { Redactor } from "../../../core/ports/redactor.ts";
import type { Digest, RawConversation } from "../../../core/sleep/mine/digest.ts";

/** A conversation without its secrets: every text of it was looked through, and the outputs of tools stay behind as fingerprints. */
export async function redactConversation(raw: RawConversation, redactor: Redactor): Promise<Digest> {
  const { source, startedAt, endedAt, branch, commit, toolOutputs } = raw;
  const clean = async (text: string): Promise<string> => (await redactor.redact(text)).text;
  const cleanAll = (texts: readonly string[]): Promise<string[]> => inOrder(texts, clean);
  const look = async () => ({
    v: 1 as const,
    id: await clean(raw.id),
    source,
    project: await clean(raw.project),
    ...(branch === undefined ? {} : { branch: await clean(branch) }),
    ...(commit === undefined ? {} : { commit: await clean(commit) }),
    startedAt,
    endedAt,
    turns: await inOrder(raw.turns, async ({ prompt, answer }) => ({
      prompt: await clean(prompt),
      answer: await clean(answer),
    })),
    tools: await cleanAll(raw.tools),
    skills: await cleanAll(raw.skills),
    files: await cleanAll(raw.files),
  });
  const untrusted = new Set<string>();
  for (const output of await cleanAll(toolOutputs))
    for (const mark of fingerprint(output)) untrusted.add(mark);
  // a secret may be told by name only after it was used, and is known from then on
  await look();
  return { ...(await look()), untrusted: [...untrusted] };
}

/** One after another: equal conversations get equal placeholders. */
async function inOrder<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await map(item));
  return results;
}
