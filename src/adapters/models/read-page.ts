import { oneLine } from "../../core/one-line.ts";

/** What a person would read on a web page, or in the plain text that came in place of one: its title and first words. */
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
