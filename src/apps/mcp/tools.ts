import type { Tool } from "./tool.ts";
import { adoptTool } from "./tools/adopt.ts";
import { decideTool } from "./tools/decide.ts";
import { diffTool } from "./tools/diff.ts";
import { nightTool } from "./tools/night.ts";
import { planTool } from "./tools/plan.ts";
import { proposalsTool } from "./tools/proposals.ts";
import { reviewTool } from "./tools/review.ts";
import { statusTool } from "./tools/status.ts";
import { trainTool } from "./tools/train.ts";

/** By name, in the order in which people use them. */
export const tools: Readonly<Record<string, Tool>> = {
  status: statusTool,
  plan: planTool,
  train: trainTool,
  night: nightTool,
  proposals: proposalsTool,
  review: reviewTool,
  decide: decideTool,
  diff: diffTool,
  adopt: adoptTool,
};
