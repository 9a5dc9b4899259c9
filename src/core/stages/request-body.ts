import type { Context } from "../context.ts";
import type { JsonObject } from "../json.ts";
import type { ModelRequest, Role } from "../ports/model.ts";

/**
 * Additional fields of a role's request: the reply format, if a contract has one and the server supports it, and the
 * config's fields, which take precedence. `null` omits a field.
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
