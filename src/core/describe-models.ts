import type { JsonObject } from "./json.ts";

/** Hosts of models that aren't at their vendor's own address, by `provider/model`. */
export type ModelHosts = Readonly<Record<string, string>>;

/** `openai/gpt-5.4-nano at models.example.org`; the vendor's own host isn't named. */
export const labelModel = (id: string, hosts: ModelHosts | undefined): string =>
  hosts?.[id] === undefined ? id : `${id} at ${hosts[id]}`;

/** Lists which model plays which role. */
export const describeModels = (
  models: Readonly<Record<string, string>>,
  hosts: ModelHosts | undefined,
): string =>
  Object.entries(models)
    .map(([role, id]) => `${role} ${labelModel(id, hosts)}`)
    .join(", ");

/** ` with seed, grammar`: the names of extra request fields, or nothing without any. */
export const labelFields = (body: JsonObject | undefined): string =>
  body === undefined || Object.keys(body).length === 0 ? "" : ` with ${Object.keys(body).join(", ")}`;
