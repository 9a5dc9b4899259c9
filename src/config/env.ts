/** The environment. No other file reads it. */
export const readEnv = (): Readonly<Record<string, string | undefined>> => process.env;

/** Variables that are already set keep their value. */
export function addToEnv(values: ReadonlyMap<string, string>): void {
  for (const [name, value] of values) process.env[name] ||= value;
}
