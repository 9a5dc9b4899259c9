import { type NoiseRun, noiseRun } from "./noise-run.ts";
import { type CallOptions, openRun } from "../session/open-run.ts";

export interface NoiseOptions extends CallOptions {
  /** Also measures how much neutral rewordings of the tasks move the score. @default false */
  readonly variants?: boolean;
}

/** Measures how much a skill's scores on val differ by chance alone. The same call again resumes, or gives the finished result. */
export async function measureNoise({ variants = false, ...options }: NoiseOptions): Promise<NoiseRun> {
  const { signal, onEvent } = options;
  return openRun(options, ["target"], async ({ resolved, journal }) =>
    noiseRun(resolved, { journal, signal, onEvent, variants }),
  );
}
