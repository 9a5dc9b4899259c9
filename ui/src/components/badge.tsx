import type { ComponentChildren } from "preact";
import type { VerdictLook } from "../../../src/core/verdict-words.ts";
import type { RunOverview, NightProposal } from "../../../src/report/model.ts";
import { verdictOf } from "../action-words.ts";

/** A word with a sign and a colour. */
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

/** A run's verdict as a badge. */
export const VerdictBadge = ({ overview }: { readonly overview: RunOverview }) => (
  <Badge look={verdictOf(overview)} />
);

const words: Readonly<Record<NightProposal["state"], readonly [tone: string, sign: string, word: string]>> = {
  staged: ["open", "…", "waits for you"],
  adopted: ["good", "✓", "adopted"],
  rejected: ["bad", "✕", "rejected"],
  superseded: ["even", "↷", "superseded"],
};

/** The state of a night's proposal as a badge. */
export function NightBadge({ state }: { readonly state: NightProposal["state"] }) {
  const [tone, sign, word] = words[state];
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span>
      {word}
    </span>
  );
}
