/** An object out of Redis, where anybody may have written anything; undefined when it is none. */
export function readJson(text: unknown): object | undefined {
  try {
    const value: unknown = JSON.parse(String(text));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
