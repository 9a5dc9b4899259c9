import generated from "./config-flags.json" with { type: "json" };

/** A flag that stands for a key of the config. */
export interface ConfigFlag {
  /** The key in the config: `spend.usd`. */
  readonly path: string;
  readonly group: string;
  readonly flag: string;
  readonly about: string;
  readonly only?: string | readonly string[];
  readonly repeats: boolean;
  /** The words that it takes, where these are known. */
  readonly values?: readonly string[];
}

/** Made from the table of settings, so that `--help` need not load it. */
export const configFlags: readonly ConfigFlag[] = generated;

/** The flag of a config key, as it is typed: `--spend-usd`. */
export const flagOf = (path: string): string =>
  configFlags.find((one) => one.path === path)?.flag.split(" ", 1)[0] ?? `"${path}"`;
