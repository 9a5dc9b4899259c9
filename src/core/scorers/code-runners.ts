/** An expression, statements whose last value counts, or a function's body; or a file that exports a function. */
const javascript = String.raw`const { writeSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");
const { code, file, call, output, context } = require("./input.json");
const end = (report) => process.exit(writeSync(1, "\n" + JSON.stringify(report) + "\n") > 0 ? 0 : 1);
const compiles = (make) => { try { return Boolean(make()); } catch { return false; } };
async function load() {
  if (file === undefined) {
    const names = ["output", "context", "process", "require"];
    const shapes = ["return (" + code.trim().replace(/;+$/, "") + "\n)"];
    if (compiles(() => new Script(code))) shapes.push("return eval(" + JSON.stringify(code) + ")");
    const run = new Function(...names, shapes.find((one) => compiles(() => new Function(...names, one))) ?? code);
    return () => run(output, context, process, require);
  }
  const { default: whole, ...named } = await import(join(__dirname, file));
  const found = (call === undefined ? [whole, whole?.default] : [named[call], whole?.[call]]).find((one) => typeof one === "function");
  if (found === undefined) throw new Error(file + " exports no such function");
  return found;
}
load().then(
  async (run) => end(await (async () => ({ result: await run(output, context) }))().catch((error) => ({ threw: String(error) }))),
  (error) => end({ broken: String(error) }),
);
`;

const python = String.raw`import importlib.util, json, math, os, re, textwrap
here = os.path.dirname(os.path.abspath(__file__))
given = json.load(open(os.path.join(here, "input.json"), encoding="utf-8"))
def load(code, file=None, call="get_assert"):
    if file is not None:
        spec = importlib.util.spec_from_file_location("suite", os.path.join(here, file))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return getattr(module, call)
    names = {"json": json, "math": math, "re": re}
    try:
        expression = compile(code.strip(), "code", "eval")
        return lambda output, context: eval(expression, {**names, "output": output, "context": context})
    except SyntaxError:
        exec(compile("def main(output, context):\n" + textwrap.indent(code, " "), "code", "exec"), names)
        return names["main"]
report, run = {}, None
try:
    run = load(**{key: given[key] for key in ("code", "file", "call") if key in given})
    report = {"result": run(given["output"], given["context"])}
except Exception as error:
    report = {"threw" if run else "broken": repr(error)}
print("\n" + json.dumps(report, default=vars))
`;

/** Programs that run a suite's code on the `input.json` next to them, and print the outcome as JSON on their last line. */
export const codeRunners = {
  javascript: { program: "node", name: "whetstone-run.cjs", text: javascript },
  python: { program: "python3", name: "whetstone_run.py", text: python },
} as const;
