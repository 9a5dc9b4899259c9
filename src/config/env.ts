/** The environment: this file is the only one that reads it. */
export const readEnv = (): Readonly<Record<string, string | undefined>> => process.env;

/** What is set already stays. */
export function addToEnv(values: ReadonlyMap<string, string>): void {
  for (const [name, value] of values) process.env[name] ||= value;
}
