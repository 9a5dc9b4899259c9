import { WhetstoneError } from "../../core/errors.ts";
import type { Skill } from "../../core/skill/skill.ts";
import { installedName } from "../../core/tasks/agent-environment.ts";
import { readDescription } from "../../core/triggers/description.ts";
import { readSkill } from "../files/read-skill.ts";
import type { Config } from "../schema.ts";

/** The skills installed next to the trained one, each with a unique name. */
export async function resolveNeighbours(
  config: Config,
  skill: Skill,
  notes: string[],
): Promise<readonly Skill[]> {
  if (config.track === "description") {
    refuseMeaningless(config);
    refuseOtherFiles(skill);
    readDescription(skill);
  }
  const paths = config.neighbours ?? [];
  if (paths.length === 0 && config.track === "description")
    notes.push("neighbours: none, so a description that matches everything can look precise");
  const neighbours = await Promise.all(paths.map((path) => readSkill(path)));
  const known = new Map([[installedName(skill), "the trained skill"]]);
  for (const [at, neighbour] of neighbours.entries()) {
    readDescription(neighbour);
    const name = installedName(neighbour);
    const path = paths[at] ?? "";
    const other = known.get(name);
    if (other !== undefined) {
      throw new WhetstoneError("skill-invalid", `Neighbour ${path} has the same name as ${other}: ${name}.`, {
        hint: "Give every skill a unique name, or leave this one out.",
      });
    }
    known.set(name, path);
  }
  return neighbours;
}

function refuseOtherFiles({ main }: Skill): void {
  if (main === "SKILL.md") return;
  throw new WhetstoneError("skill-invalid", `${main} is always loaded, so it has no description to train.`, {
    hint: "Name a SKILL.md or the folder that contains one. For any other file, leave out --track description.",
  });
}

/** Settings that would put text other than a description into the description. */
function refuseMeaningless(config: Config): void {
  const key = (["slowUpdate", "editor", "baselines", "allowScripts", "environment"] as const).find(
    (name) => config[name] !== undefined && config[name] !== false,
  );
  if (key === undefined) return;
  throw new WhetstoneError("config-invalid", `"${key}" has no effect on the description track.`, {
    hint: `Remove "${key}", or train the body.`,
  });
}
