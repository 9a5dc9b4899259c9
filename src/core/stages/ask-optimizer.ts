import type { Context } from "../context.ts";
import type { Place } from "../place.ts";
import type { Prompt } from "../prompts/prompt.ts";
import { askModel } from "./ask-model.ts";

/** `askModel` with the optimizer, whichever role the place belongs to. */
export const askOptimizer = <Parsed>(
  prompt: Prompt<Parsed>,
  user: string,
  place: Place,
  context: Context,
): Promise<Parsed | undefined> => askModel(prompt, user, { ...place, role: "optimizer" }, context);
