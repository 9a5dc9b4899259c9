import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import { isList } from "./shape.ts";

/** A text with its variables filled in, or what stands in the way. */
export type Rendered = { readonly text: string } | { readonly problem: string };

/** Fills in `{{name}}` and `{{name.field}}`. Statements and filters would be code, so they are not understood. */
export function renderTemplate(template: string, vars: JsonObject): Rendered {
  if (/\{[%#]/.test(template)) return { problem: "a template with {% … %} or {# … #}" };
  const problems: string[] = [];
  const text = template.replaceAll(/\{\{-?([\s\S]*?)-?\}\}/g, (_, written: string) => {
    const expression = written.trim();
    if (!/^[A-Za-z_$][\w$]*(?:\.[\w$]+)*$/.test(expression)) {
      problems.push(`the template expression {{ ${expression.slice(0, 60)} }}`);
      return "";
    }
    const value = lookUp(vars, expression.split("."));
    if (value === undefined) problems.push(`the variable {{${expression}}}, which has no value`);
    return showValue(value ?? null);
  });
  const [problem] = problems;
  return problem === undefined ? { text } : { problem };
}

/** Every text inside a value, rendered. */
export function renderValue(
  value: Json,
  vars: JsonObject,
): { readonly value: Json } | { readonly problem: string } {
  if (typeof value === "string") {
    const rendered = renderTemplate(value, vars);
    return "problem" in rendered ? rendered : { value: rendered.text };
  }
  if (isList(value)) {
    const items: Json[] = [];
    for (const item of value) {
      const rendered = renderValue(item, vars);
      if ("problem" in rendered) return rendered;
      items.push(rendered.value);
    }
    return { value: items };
  }
  if (!isJsonObject(value)) return { value };
  const fields: [string, Json][] = [];
  for (const [name, field] of Object.entries(value)) {
    const rendered = renderValue(field ?? null, vars);
    if ("problem" in rendered) return rendered;
    fields.push([name, rendered.value]);
  }
  return { value: Object.fromEntries(fields) };
}

function lookUp(vars: JsonObject, names: readonly string[]): Json | undefined {
  let value: Json | undefined = vars;
  for (const name of names) {
    if (isList(value)) value = value[Number(name)];
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

const showValue = (value: Json): string =>
  value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
