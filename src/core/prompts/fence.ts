import { hashJson } from "../canonical.ts";
import type { Json } from "../json.ts";
import { oneLine } from "../one-line.ts";

/** Lines around texts that others wrote, so that a model can tell them from its instructions. */
export interface Fence {
  readonly code: string;
  readonly around: (word: string, text: string) => string;
}

/** The code hashes what it encloses: nobody can write a text that holds the code of its own end. */
export function createFence(content: Json): Fence {
  const code = hashJson(content).slice(0, 16);
  return {
    code,
    around(word, text) {
      const name = oneLine(word, 200);
      return `BEGIN ${name} ${code}\n${text}\nEND ${name} ${code}`;
    },
  };
}
