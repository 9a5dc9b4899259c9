import { z } from "zod";
import { hashText } from "../core/canonical.ts";
import { WhetstoneError } from "../core/errors.ts";
import { writeFileAtomic } from "../adapters/atomic-file.ts";
import { readIfThere } from "../run/offer/live-skill.ts";

/** A file of our own with a checksum: what comes back is what was written, or an error, never a fresh start. */
export interface CheckedFile<Body> {
  readonly path: string;
  /** Undefined when there is none. */
  read(): Body | undefined;
  write(body: Body): Promise<void>;
}

/** `way`: what to do when it is damaged. */
export function checkedFile<Body>(path: string, way: string): CheckedFile<Body> {
  return {
    path,
    read() {
      const text = readIfThere(path)?.toString();
      if (text === undefined) return undefined;
      const parsed = readJson(text);
      if (parsed.success) {
        const { sum, body } = parsed.data;
        if (hashText(JSON.stringify(body)) === sum) return body as Body;
      }
      throw new WhetstoneError("state-damaged", `${path} is not what was written there.`, { hint: way });
    },
    async write(body) {
      const text = JSON.stringify(body);
      await writeFileAtomic(path, `{"v":1,"sum":"${hashText(text)}","body":${text}}\n`, { isPrivate: true });
    },
  };
}

const fileSchema = z.object({ v: z.literal(1), sum: z.string(), body: z.unknown() });

function readJson(text: string): z.ZodSafeParseResult<z.output<typeof fileSchema>> {
  try {
    return fileSchema.safeParse(JSON.parse(text));
  } catch {
    return fileSchema.safeParse(undefined);
  }
}
