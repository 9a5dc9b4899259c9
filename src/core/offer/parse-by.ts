import { z } from "zod";

/** Reads a text of JSON by a schema, or gives a sentence that says what is wrong with it. */
export function parseBy<Parsed>(schema: z.ZodType<Parsed>, text: string): Parsed | string {
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : z.prettifyError(parsed.error);
  } catch (error) {
    return String(error);
  }
}
