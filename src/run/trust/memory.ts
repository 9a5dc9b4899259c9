import { realpathSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import {
  type StatePlace,
  isStateInProject,
  projectFolder,
  stateInProject,
} from "../../config/state-folder.ts";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import { readIfThere } from "../offer/live-skill.ts";

/** One person's permissions for one folder: the code that may run unattended, and the hosts that may be sent keys. */
export interface Trust extends z.output<typeof trustSchema> {}

const trustSchema = z.strictObject({
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** sha256 of every file of code, by its absolute path. */
  files: z.record(z.string(), z.string()),
  /** The variables that may be sent as keys, by host. */
  sends: z.record(z.string(), z.array(z.string())),
});

const memorySchema = z.strictObject({
  v: z.literal(1),
  /** Absolute, links resolved. */
  project: z.string(),
  /** The `journal` of a config that is code, by the config's path; without passwords, and empty if it names none. */
  journals: z.record(z.string(), z.string()),
  /** Code files that the person has been told about. */
  told: z.array(z.string()),
  trust: trustSchema.optional(),
});

export interface Memory extends z.output<typeof memorySchema> {}

/** Facts about a project, kept in the person's own state, because a project can't speak for its reader. */
export interface ProjectMemory {
  readonly path: string;
  read(): Memory;
  /** Refused if the file would be inside the project. */
  write(
    changes: { readonly [Key in "journals" | "told" | "trust"]?: Memory[Key] | undefined },
  ): Promise<void>;
}

export function projectMemory(cwd: string, place: StatePlace = {}): ProjectMemory {
  const project = realpathSync(cwd);
  const path = join(projectFolder(project, place), "memory.json");
  const isInside = isStateInProject(project, place);
  const nothing: Memory = { v: 1, project, journals: {}, told: [] };
  const read = (): Memory => {
    if (isInside) return nothing;
    try {
      const memory = memorySchema.parse(JSON.parse(readIfThere(path)?.toString() ?? "null"));
      return memory.project === project ? memory : nothing;
    } catch {
      // an unreadable memory allows nothing
      return nothing;
    }
  };
  return {
    path,
    read,
    async write(changes) {
      if (isInside) throw stateInProject(place);
      await writeFileAtomic(path, `${JSON.stringify({ ...read(), ...changes }, null, 2)}\n`, {
        isPrivate: true,
      });
    },
  };
}
