import type { Context } from "../context.ts";
import type { JsonObject } from "../json.ts";
import type { ModelRequest, Role } from "../ports/model.ts";

/**
 * What a request of a role says beside the usual: the form of the reply where a contract has one and the server can be told,
 * and the fields of the config, which win; `null` leaves one out.
 */
export function requestBody(
  role: Role,
  { settings, models, takesBody }: Pick<Context, "settings" | "models" | "takesBody">,
  format?: JsonObject,
): Pick<ModelRequest, "body"> {
  if (takesBody?.has(models[role]) !== true) return {};
  const asked: JsonObject = format === undefined ? {} : { response_format: format };
  const fields = Object.entries({ ...asked, ...settings.extraBody?.[role] });
  const body: JsonObject = Object.fromEntries(fields.filter(([, value]) => value !== null));
  return Object.keys(body).length === 0 ? {} : { body };
}
