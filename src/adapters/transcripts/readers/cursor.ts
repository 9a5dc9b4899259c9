import { readFile } from "node:fs/promises";
import { basename, join, parse, relative, sep } from "node:path";
import type { TranscriptSource } from "../../../core/ports/transcripts.ts";
import { listAt, recordAt, textAt } from "../../agents/event-fields.ts";
import { isObject, readObject } from "../../../core/json.ts";
import { contentText, skillsReadIn, textsWithin } from "../record-fields.ts";
import type { ConversationBuilder } from "../conversation-builder.ts";
import { filesBelow, foldersIn } from "../log-files.ts";
import { type JsonRecord, jsonLines } from "../json-lines.ts";
import { logsIn, transcriptSource } from "../transcript-source.ts";

/**
 * Cursor's agent: `<home>/projects/<slug>/agent-transcripts/[<id>/]<id>.jsonl`, without times and tool outputs.
 * `home` is `~/.cursor`.
 */
export function cursorSource({ home }: { readonly home: string }): TranscriptSource {
  const place = join(home, "projects");
  return transcriptSource("cursor", place, {
    async find(project) {
      const logsOf = async (own: string) =>
        (await filesBelow(join(own, "agent-transcripts"), /\.jsonl$/)).filter(
          ({ path }) => !isSubagents(path),
        );
      return logsIn(await foldersIn(place), logsOf, (own) => folderOf(own, project));
    },
    async read(builder, { path }) {
      const own = join(place, relative(place, path).split(sep)[0] ?? "");
      builder.inFolder(await folderOf(own, path));
      for await (const record of jsonLines(path)) readRecord(builder, record);
    },
  });
}

/** Subagents write in a folder below. */
const isSubagents = (path: string): boolean => /[/\\]subagents[/\\]/.test(path);

function readRecord(builder: ConversationBuilder, record: JsonRecord): void {
  const message = recordAt(record, "message");
  const text = contentText(message);
  if (textAt(record, "role") === "user") {
    for (const skill of attachedSkills(text)) builder.skill(skill);
    builder.prompt(typedIn(text));
  }
  if (textAt(record, "role") === "assistant") builder.answer(text.replace(hiddenThoughts, ""));
  for (const block of listAt(message, "content")) {
    const type = textAt(block, "type");
    if (type === "tool_result" && isObject(block)) builder.output(textsWithin(block["content"]).join("\n"));
    if (type !== "tool_use") continue;
    const [name, input] = [textAt(block, "name"), recordAt(block, "input")];
    builder.call(name, input, name.startsWith("Read") ? textAt(input, "path") : "");
  }
}

/** The person's typed text is in `<user_query>` or, without that, after the blocks that Cursor puts first. */
function typedIn(text: string): string {
  const query = /<user_query>([\s\S]*)<\/user_query>/.exec(text)?.[1];
  return query ?? text.replace(/^(?:\s*<(rules|timestamp|[a-z]+(?:_[a-z]+)+)>[\s\S]*?<\/\1>)+/, "");
}

const attachedSkills = (text: string): readonly string[] =>
  [...text.matchAll(/<manually_attached_skills>([\s\S]*?)<\/manually_attached_skills>/g)].flatMap(
    ([, block = ""]) => skillsReadIn(block),
  );

/** Cursor writes this in place of the model's thoughts. */
const hiddenThoughts = /\s*\[REDACTED\]\s*$/;

/** The folder behind Cursor's own folder: as recorded when the person trusted it, else derived from its name. */
async function folderOf(own: string, somewhere: string): Promise<string> {
  const noted = await readFile(join(own, ".workspace-trusted"), "utf8").catch(() => "");
  return textAt(readObject(noted), "workspacePath") || (await onlyFolderOf(own, somewhere));
}

/** `/home/me/my-app` and `/home/me/my/app` have one name here: returns the existing one, or nothing if both exist. */
async function onlyFolderOf(own: string, somewhere: string): Promise<string> {
  const found = await foldersNamed(parse(somewhere).root, basename(own).toLowerCase());
  return found.length === 1 ? (found[0] ?? "") : "";
}

async function foldersNamed(folder: string, slug: string): Promise<readonly string[]> {
  const own = slugOf(folder);
  if (own === slug) return [folder];
  if (own !== "" && !slug.startsWith(`${own}-`)) return [];
  const deeper = await Promise.all((await foldersIn(folder)).map((inner) => foldersNamed(inner, slug)));
  return deeper.flat();
}

const slugOf = (folder: string): string =>
  folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
