import { z } from "zod";
import { hashText } from "../core/canonical.ts";
import { WhetstoneError } from "../core/errors.ts";
import { writeFileAtomic } from "../adapters/atomic-file.ts";
import { readIfThere } from "../run/offer/live-skill.ts";

/** Our own file with a checksum: reading returns what was written or fails, and never starts fresh. */
export interface CheckedFile<Body> {
  readonly path: string;
  /** Undefined if the file doesn't exist. */
  read(): Body | undefined;
  write(body: Body): Promise<void>;
}

/** `way`: the next step if it's damaged. */
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
      throw new WhetstoneError("state-damaged", `${path} is damaged or was changed by hand.`, { hint: way });
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
