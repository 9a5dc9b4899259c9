import type { RunOverview } from "../../../src/report/model.ts";
import { verdictOf } from "../verdict-words.ts";
import { Badge } from "./badge.tsx";

/** The verdict as one word with a shape and a colour. */
export const VerdictBadge = ({ overview }: { readonly overview: RunOverview }) => (
  <Badge look={verdictOf(overview)} />
);
