import { z } from "zod";

/** Parses a JSON text with a schema, or returns a sentence that says what's wrong with it. */
export function parseBy<Parsed>(schema: z.ZodType<Parsed>, text: string): Parsed | string {
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : z.prettifyError(parsed.error);
  } catch (error) {
    return String(error);
  }
}
