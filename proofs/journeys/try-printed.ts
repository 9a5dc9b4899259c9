import { flat } from "./known-words.ts";
import type { Stranger } from "./stranger.ts";

/** Commands that change nothing, so that they can be typed at any time. */
const looks =
  /npx whetstone (?:runs show|diff|explain|journal check)(?: (?:--[\w-]+|[0-9a-f]{8,16}|[a-z]+(?:-[a-z]+)+|unproven|usage|failed))*/g;

/** Types every command that was printed on the way and only looks: each has to work. Gives how many. */
export async function tryPrinted(person: Stranger): Promise<number> {
  const texts = person.way.commands.map(({ shown }) => flat(shown.text));
  const printed = new Set(texts.flatMap((text) => text.match(looks) ?? []));
  for (const { line } of person.way.commands) printed.delete(line);
  for (const line of printed) {
    const { code } = await person.type(line);
    person.expect(`\`${line}\`, which was printed, works (${code})`, code === 0);
  }
  return printed.size;
}
