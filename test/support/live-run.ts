import { onTestFinished } from "vitest";
import type { RunEvent } from "../../src/core/events.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Journal } from "../../src/core/ports/journal.ts";
import { noCost } from "../../src/core/cost.ts";

/** What a training writes down, one event at a time. The journal is closed with the test. */
export async function openLiveRun(
  journal: Journal,
  { run, folder, steps }: { readonly run: string; readonly folder: string; readonly steps: number },
) {
  onTestFinished(() => journal.close());
  let seq = 0;
  const emit = async (name: string, body: object = {}) => {
    seq += 1;
    const entry = { v: 1, seq, at: 1000 + seq, ...body } as unknown as JsonObject;
    await journal.write({ kind: "event", run, key: "", name, body: entry });
  };
  await emit("run-start", {
    command: "train",
    skill: "SKILL.md",
    models: { target: "office/target" },
    tasks: { train: 1, val: 1, test: 1 },
    steps,
    resumed: 0,
    finished: false,
    spent: noCost,
    folder,
    settings: {},
  });
  return { emit };
}

/** The events of a stream as they come; a comment of the server is undefined. */
export async function* framesOf(response: Response): AsyncGenerator<RunEvent | undefined> {
  const { body } = response;
  if (body === null) throw new Error("The response has no body.");
  let rest = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + chunk).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      yield data === undefined ? undefined : (JSON.parse(data) as RunEvent);
    }
  }
}
