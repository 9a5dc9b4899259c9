import { basename } from "node:path";
import { type JsonObject, isJsonObject } from "../../core/json.ts";
import { readLinked } from "./linked-files.ts";
import { renderValue } from "./render-template.ts";
import { nameType } from "./promptfoo-assert.ts";
import type { AssertSource } from "./promptfoo-sift.ts";
import { isFilled } from "./shape.ts";

/** The part of a test that a suite's code can see. */
export interface CodeSight {
  readonly vars: JsonObject;
  readonly prompt: string;
}

/** A `javascript` or `python` assert with the code it names and that code's input. Nothing in it runs here. */
export function fillCode(
  assert: JsonObject,
  { vars, prompt }: CodeSight,
  { folder, notes }: AssertSource,
): { readonly assert: JsonObject } | { readonly problem: string } {
  const { type, value, config } = assert;
  if (!isFilled(value)) return { assert };
  const context = { vars, prompt, ...(isJsonObject(config) ? { config } : {}) };
  if (!value.startsWith("file://")) {
    // code has its own braces
    const rendered = renderValue(value, vars);
    const code = "value" in rendered ? rendered.value : value;
    return { assert: { ...assert, value: { code, context } } };
  }
  const [, path = value, extension = "", call] = /^file:\/\/(.*\.(\w+))(?::(\w+))?$/.exec(value) ?? [];
  const language = /^[cm]?[jt]s$/.test(extension) ? "javascript" : "python";
  if (language === "python" && extension !== "py")
    return { problem: `${nameType(type)}: ${path} isn't JavaScript or Python` };
  const linked = readLinked(folder, path, notes);
  if ("problem" in linked) return { problem: `${nameType(type)}: ${linked.problem}` };
  const code = { language, code: linked.content, file: basename(path), context };
  return { assert: { ...assert, value: call === undefined ? code : { ...code, call } } };
}
