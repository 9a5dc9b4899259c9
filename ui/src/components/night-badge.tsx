import type { NightProposal } from "../../../src/report/model.ts";

const words: Readonly<Record<NightProposal["state"], readonly [tone: string, sign: string, word: string]>> = {
  staged: ["open", "…", "waits for you"],
  adopted: ["good", "✓", "adopted"],
  rejected: ["bad", "✕", "rejected"],
  superseded: ["even", "↷", "superseded"],
};

/** Where a night's proposal stands, with a shape and a colour. */
export function NightBadge({ state }: { readonly state: NightProposal["state"] }) {
  const [tone, sign, word] = words[state];
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{sign}</span>
      {word}
    </span>
  );
}
