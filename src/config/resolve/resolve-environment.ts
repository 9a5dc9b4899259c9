import { readPlainText } from "../../adapters/read-plain-file.ts";
import { hashText } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import type { Environment } from "../../core/tasks/environment.ts";
import { importModule } from "../import-module.ts";
import type { Config } from "../schema.ts";

/**
 * The environment a config names. Its version is in every key: the file's hash for a module path, the source's
 * hash for a bare function; an object gives its own.
 */
export async function resolveEnvironment(
  environment: Config["environment"],
  usual: Environment,
): Promise<Environment> {
  if (environment === undefined) return usual;
  if (typeof environment === "string") return loadEnvironment(environment);
  if (typeof environment !== "function") return environment;
  return {
    name: environment.name === "" ? "custom" : environment.name,
    version: hashText(environment.toString()).slice(0, 16),
    run: async (task, skill, context) => environment(task, skill, context),
  };
}

async function loadEnvironment(place: string): Promise<Environment> {
  const [path = "", name = "default"] = place.split("#", 2);
  const source = await readPlainText(path).catch(() => {
    throw new WhetstoneError("not-found", `The environment module ${path} doesn't exist.`, {
      hint: "Write it as ./file.ts#name, relative to the config file.",
    });
  });
  const module = await importModule(path);
  const found = module[name];
  const version = hashText(source).slice(0, 16);
  if (typeof found === "function") {
    const run = found as Environment["run"];
    return { name: name === "default" ? "custom" : name, version, run: async (...call) => run(...call) };
  }
  if (typeof found === "object" && found !== null && typeof (found as Environment).run === "function") {
    const given = found as Environment;
    return { ...given, name: given.name ?? name, version };
  }
  const exported = Object.keys(module).join(", ") || "nothing";
  throw new WhetstoneError(
    "config-invalid",
    `${path} doesn't export an environment "${name}" (it exports ${exported}).`,
    {
      hint: "Export a function (task, skill, context) => outcome, or an object with `run`.",
    },
  );
}
