/** How the value of a flag is read: what is no number goes on as it is, and the config refuses it in its own words. */
export const asIs = (value: unknown): unknown => value;

export const toNumber = (value: unknown): unknown =>
  String(value).trim() === "" || Number.isNaN(Number(value)) ? value : Number(value);
