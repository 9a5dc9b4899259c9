import type { ComponentChildren } from "preact";
import type { VerdictLook } from "../../../src/core/verdict-words.ts";

/** A word with a shape and a colour. */
export const Badge = ({
  look: { tone, sign, word },
  title,
}: {
  readonly look: Omit<VerdictLook, "relation" | "word"> & { readonly word: ComponentChildren };
  readonly title?: string;
}) => (
  <span class={`badge ${tone}`} title={title}>
    <span aria-hidden="true">{sign}</span>
    {word}
  </span>
);
