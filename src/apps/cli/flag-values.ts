/** How the value of a flag is read: what is no number goes on as it is, and the config refuses it in its own words. */
export const asIs = (value: unknown): unknown => value;

export const toNumber = (value: unknown): unknown =>
  String(value).trim() === "" || Number.isNaN(Number(value)) ? value : Number(value);

export type CommandKind = "train" | "eval" | "sleep" | "trust";

export interface ConfigFlag {
  readonly flags: string;
  /** The key in the config. */
  readonly path: string;
  readonly about: string;
  readonly group: string;
  readonly read: (value: unknown) => unknown;
  readonly trainOnly?: boolean;
  /** May be given several times; `read` gets the list. */
  readonly repeats?: boolean;
}
