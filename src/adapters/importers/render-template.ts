import { type Json, type JsonObject, isJsonObject } from "../../core/json.ts";
import { isList } from "./shape.ts";

/**
 * Fills in `{{name}}` and `{{name.field}}` in every string inside a value, or returns the first obstacle. Statements
 * and filters would be code, so we don't support them.
 */
export function renderValue(
  value: Json,
  vars: JsonObject,
): { readonly value: Json } | { readonly problem: string } {
  const problems: string[] = [];
  const render = (part: Json): Json => {
    if (typeof part === "string") return fillIn(part, vars, problems);
    if (isList(part)) return part.map(render);
    if (!isJsonObject(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([name, field]) => [name, render(field ?? null)]));
  };
  const rendered = render(value);
  const [problem] = problems;
  return problem === undefined ? { value: rendered } : { problem };
}

function fillIn(template: string, vars: JsonObject, problems: string[]): string {
  if (/\{[%#]/.test(template)) problems.push("a template with {% … %} or {# … #}");
  return template.replaceAll(/\{\{-?([\s\S]*?)-?\}\}/g, (_, written: string) => {
    const expression = written.trim();
    if (!/^[A-Za-z_$][\w$]*(?:\.[\w$]+)*$/.test(expression)) {
      problems.push(`the template expression {{ ${expression.slice(0, 60)} }}`);
      return "";
    }
    const value = lookUp(vars, expression.split("."));
    if (value === undefined) problems.push(`the variable {{${expression}}}, which has no value`);
    return showValue(value ?? null);
  });
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
