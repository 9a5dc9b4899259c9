import type { Model } from "../../core/ports/model.ts";
import type { Redactor } from "../../core/ports/redactor.ts";

/** A model whose prompts are checked once more before they are sent. */
export function redactingModel(model: Model, redactor: Redactor): Model {
  return {
    ...model,
    async generate(request, call) {
      const { system } = request;
      return model.generate(
        {
          ...request,
          ...(system === undefined ? {} : { system: (await redactor.redact(system)).text }),
          messages: await Promise.all(
            request.messages.map(async (message) => ({
              ...message,
              content: (await redactor.redact(message.content)).text,
            })),
          ),
        },
        call,
      );
    },
  };
}
