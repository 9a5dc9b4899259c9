/** The environment: this file is the only one that reads it. */
export const readEnv = (): Readonly<Record<string, string | undefined>> => process.env;
