import { hashText } from "../../core/canonical.ts";
import type { Redactor } from "../../core/ports/redactor.ts";
import type { Digest, RawConversation } from "../../core/ports/conversation.ts";
import { oneLine } from "../../core/one-line.ts";
import type { Act } from "../../core/reminders/reminder.ts";
import { tellApart } from "../mine/tell-apart.ts";

/**
 * A conversation without its secrets. All its text is redacted, and the person's own words are marked apart from pasted ones.
 * Only fingerprints remain of tool outputs. Its id is a hash, because redacted ids could be equal.
 */
export async function redactConversation(raw: RawConversation, redactor: Redactor): Promise<Digest> {
  const { source, startedAt, endedAt, branch, commit, heard, calls = [] } = raw;
  const acts = Map.groupBy(calls, ({ prompts }) => prompts);
  const clean = async (text: string): Promise<string> => (await redactor.redact(text)).text;
  const cleanAll = (texts: readonly string[]): Promise<string[]> => inOrder(texts, clean);
  const look = async () => ({
    v: 1 as const,
    id: conversationId(raw),
    source,
    project: await clean(raw.project),
    ...(branch === undefined ? {} : { branch: await clean(branch) }),
    ...(commit === undefined ? {} : { commit: await clean(commit) }),
    startedAt,
    endedAt,
    turns: await inOrder([...raw.turns.entries()], async ([at, { prompt, answer }]) => {
      const own = (acts.get(at + 1) ?? []).flatMap((call) => call.acts).slice(0, mostActs);
      const turn = { prompt: await clean(prompt), answer: await clean(answer) };
      return own.length === 0 ? turn : { ...turn, did: await cleanAll(own.map(actText)) };
    }),
    tools: await cleanAll(raw.tools),
    skills: await cleanAll(raw.skills),
    files: await cleanAll(raw.files),
  });
  const hear = async () => ({
    toolOutputs: await cleanAll(raw.toolOutputs),
    pastes: await cleanAll(raw.pastes ?? []),
    heard,
  });
  // a secret may be named only after it was used, so a first pass learns it
  await hear();
  await look();
  const looked = await look();
  return { ...looked, ...tellApart({ ...looked, ...(await hear()) }) };
}

const mostActs = 50;

const actText = (act: Act): string =>
  act.kind === "running" ? `ran ${oneLine(act.words.join(" "), 300)}` : `wrote ${act.path}`;

/** The id under which a conversation is kept. */
export const conversationId = ({ source, id }: Pick<RawConversation, "source" | "id">): string =>
  `${source}:${hashText(id).slice(0, 16)}`;

/** One after another, so that equal conversations get equal placeholders. */
async function inOrder<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await map(item));
  return results;
}
