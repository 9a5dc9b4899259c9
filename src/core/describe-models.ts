import type { JsonObject } from "./json.ts";

/** Hosts of models whose address is not their vendor's own, by `provider/model`. */
export type ModelHosts = Readonly<Record<string, string>>;

/** `openai/gpt-5.4-nano at models.example.org`; the vendor's own host goes without saying. */
export const labelModel = (id: string, hosts: ModelHosts | undefined): string =>
  hosts?.[id] === undefined ? id : `${id} at ${hosts[id]}`;

/** Who plays which role. */
export const describeModels = (
  models: Readonly<Record<string, string>>,
  hosts: ModelHosts | undefined,
): string =>
  Object.entries(models)
    .map(([role, id]) => `${role} ${labelModel(id, hosts)}`)
    .join(", ");

/** ` with seed, grammar`: the names of what is sent beside the usual; nothing where nothing is. */
export const labelFields = (body: JsonObject | undefined): string =>
  body === undefined || Object.keys(body).length === 0 ? "" : ` with ${Object.keys(body).join(", ")}`;
