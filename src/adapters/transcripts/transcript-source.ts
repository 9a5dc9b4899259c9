import { basename } from "node:path";
import type { SourceName } from "../../core/ports/conversation.ts";
import type { TranscriptRef, TranscriptSource } from "../../core/ports/transcripts.ts";
import { projectMatcher } from "../project-matcher.ts";
import { type ConversationBuilder, conversationBuilder } from "./conversation-builder.ts";
import type { FolderFile } from "./log-files.ts";

/** An existing conversation. */
export interface FoundLog extends Pick<FolderFile, "path" | "changedAt"> {
  /** The folder it took place in, and its id if that isn't the file name. Only called if it is new enough. */
  readonly about: () => Promise<{ readonly folder: string; readonly id?: string }>;
}

interface SourceReader {
  readonly find: (project: string) => Promise<readonly FoundLog[]>;
  /** Passes the conversation to the builder, or returns why it isn't the person's. `ref.id` is the agent's own. */
  readonly read: (builder: ConversationBuilder, ref: TranscriptRef) => Promise<string | void>;
}

/** One agent's conversations: those of a project, found by the folder they took place in, each built by one builder. */
export function transcriptSource(
  name: SourceName,
  place: string,
  { find, read }: SourceReader,
): TranscriptSource {
  return {
    name,
    place,
    async list({ project, since }) {
      const isOurs = await projectMatcher(project);
      const refs: TranscriptRef[] = [];
      for (const { path, changedAt, about } of await find(project)) {
        if (changedAt < since) continue;
        const { folder, id = basename(path).replace(/\.jsonl?$/, "") } = await about();
        if (await isOurs(folder)) refs.push({ id: `${name}:${id}`, changedAt, path });
      }
      return refs;
    },
    async read(ref) {
      const builder = conversationBuilder({ ...ref, source: name });
      const skipped = await read(builder, { ...ref, id: ref.id.slice(name.length + 1) });
      return typeof skipped === "string" ? { skipped } : builder.finish();
    },
  };
}

/** The files in an agent's folders, each of which belongs to one of the person's folders, looked up once. */
export async function logsIn(
  folders: readonly string[],
  filesOf: (own: string) => Promise<readonly FolderFile[]>,
  folderOf: (own: string) => Promise<string>,
): Promise<readonly FoundLog[]> {
  const found: FoundLog[] = [];
  for (const own of folders) {
    let folder: Promise<string> | undefined;
    const about = async () => ({ folder: await (folder ??= folderOf(own)) });
    found.push(...(await filesOf(own)).map((file) => ({ ...file, about })));
  }
  return found;
}
