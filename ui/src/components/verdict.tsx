import type { RunOverview } from "../../../src/report/model.ts";
import { verdictOf } from "../verdict-words.ts";

/** The verdict as one word with a shape and a colour. */
export function VerdictBadge({ overview }: { readonly overview: RunOverview }) {
  const { tone, sign, word } = verdictOf(overview);
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span>
      {word}
    </span>
  );
}
