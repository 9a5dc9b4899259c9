import { basename } from "node:path";
import type { SourceName } from "../../core/ports/conversation.ts";
import type { TranscriptRef, TranscriptSource } from "../../core/ports/transcripts.ts";
import { projectMatcher } from "../project-matcher.ts";
import { type ConversationBuilder, conversationBuilder } from "./conversation-builder.ts";
import type { FolderFile } from "./log-files.ts";

/** A conversation that is there. */
export interface FoundLog extends Pick<FolderFile, "path" | "changedAt"> {
  /** The folder that it was held in, and its id where that is not the file's name. Asked only if it is new enough. */
  readonly about: () => Promise<{ readonly folder: string; readonly id?: string }>;
}

interface SourceReader {
  readonly find: (project: string) => Promise<readonly FoundLog[]>;
  /** Tells the builder what was said; why it is none of the person's, where that shows. `ref.id` is the agent's own. */
  readonly read: (builder: ConversationBuilder, ref: TranscriptRef) => Promise<string | void>;
}

/** The conversations of one agent: those of a project by the folders they were held in, each put together by one builder. */
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

/** The files in folders of an agent, each of which stands for one folder of the person's, looked up once. */
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
