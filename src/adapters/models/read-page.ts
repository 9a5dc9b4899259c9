import { oneLine } from "../../core/one-line.ts";

/** The text a person would see of a web page, or of plain text sent instead: its title and first words. */
export function readPage(text: string): string {
  const page = text.slice(0, mostRead);
  const title = oneLine(/<title[^>]*>([^<]*)/i.exec(page)?.[1] ?? "");
  const words = oneLine(
    page
      .replace(/<!--.*?-->|<(script|style|svg|head)\b.*?<\/\1\s*>/gis, " ")
      .replace(/<[^>]*>/g, " ")
      .replace(/&(\w+|#\d+);/g, (_, name: string) => entities[name] ?? " "),
  );
  return oneLine(words.startsWith(title) ? words : `${title}. ${words}`, mostShown);
}

const [mostRead, mostShown] = [20_000, 240];
const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };
