import type { Resolved } from "../../test/support/scripted-run.ts";
import type { Model, ModelRequest } from "../../src/ports.ts";
import { memoryJournal } from "../../src/testing/index.ts";
import { perform } from "../../src/run/verbs/perform.ts";
import { evaluateVerb } from "../../src/run/verbs/evaluate.ts";

/** The calls that measuring `val` makes, word for word. */
export async function recordRequests(
  resolved: Resolved,
): Promise<readonly { readonly request: ModelRequest; readonly key: string }[]> {
  const calls: { readonly request: ModelRequest; readonly key: string }[] = [];
  const recording = (model: Model): Model => ({
    id: model.id,
    generate(request, call) {
      calls.push({ request, key: call.key });
      return model.generate(request, call);
    },
  });
  const modelObjects = new Map([...resolved.modelObjects].map(([id, model]) => [id, recording(model)]));
  await perform(evaluateVerb({ ...resolved, modelObjects }, "val"), {
    journal: await memoryJournal(),
    artifacts: false,
  });
  return calls;
}
