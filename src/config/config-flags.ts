import generated from "./config-flags.json" with { type: "json" };

/** A flag that sets a config key. */
export interface ConfigFlag {
  /** The key in the config: `spend.usd`. */
  readonly path: string;
  readonly group: string;
  readonly flag: string;
  readonly about: string;
  readonly only?: string | readonly string[];
  readonly repeats: boolean;
  /** The words it accepts, if there is a fixed list. */
  readonly values?: readonly string[];
}

/** Generated from the settings table, so that `--help` doesn't have to load it. */
export const configFlags: readonly ConfigFlag[] = generated;

/** The flag for a config key, as it is typed: `--spend-usd`. */
export const flagOf = (path: string): string =>
  configFlags.find((one) => one.path === path)?.flag.split(" ", 1)[0] ?? `"${path}"`;
