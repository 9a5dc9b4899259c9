import type { TranscriptRef } from "../../core/ports/transcripts.ts";
import type { SourceName } from "../../core/ports/conversation.ts";
import { folderFiles } from "./folder-files.ts";

/** Conversations in `<id>.jsonl` or, from older versions of the agent, `<id>.json`; where both are, the log goes on. */
export async function latestLogs(
  folder: string,
  { source, since, wanted }: { readonly source: SourceName; readonly since: number; readonly wanted: RegExp },
): Promise<readonly TranscriptRef[]> {
  const files = await folderFiles(folder, wanted);
  const logs = new Set(files.map(({ path }) => path));
  return files
    .filter(({ path, changedAt }) => changedAt >= since && !logs.has(`${path}l`))
    .map(({ name, path, changedAt }) => ({
      id: `${source}:${name.replace(/\.jsonl?$/, "")}`,
      changedAt,
      path,
    }));
}
