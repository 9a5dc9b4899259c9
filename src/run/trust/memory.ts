import { mkdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { z } from "zod";
import { readEnv } from "../../config/env.ts";
import { stateFolder } from "../../config/state-folder.ts";
import { hashText } from "../../core/canonical.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { writeFileAtomic } from "../../adapters/atomic-file.ts";
import { readIfThere } from "../adopt/live-skill.ts";

/** What one person allows to run and to send in one folder while nobody watches. */
export interface Trust extends z.output<typeof trustSchema> {}

const trustSchema = z.strictObject({
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** sha256 of every file of code, by its absolute path. */
  files: z.record(z.string(), z.string()),
  /** Variables that may be sent as keys, by host. */
  sends: z.record(z.string(), z.array(z.string())),
});

const memorySchema = z.strictObject({
  v: z.literal(1),
  /** Absolute, links resolved. */
  project: z.string(),
  /** What `journal` of a config that is code came to, by the config's path; without passwords. */
  journals: z.record(z.string(), z.string()),
  /** Files of code of which the person was told. */
  told: z.array(z.string()),
  trust: trustSchema.optional(),
});

export interface Memory extends z.output<typeof memorySchema> {}

/** What is known of a folder beside it, in the person's own state: a project cannot speak for its reader. */
export interface ProjectMemory {
  readonly path: string;
  read(): Memory;
  /** Refused where it would lie in the project. */
  write(
    changes: { readonly [Key in "journals" | "told" | "trust"]?: Memory[Key] | undefined },
  ): Promise<void>;
}

export function projectMemory(
  cwd: string,
  {
    env = readEnv(),
    home = homedir(),
  }: { readonly env?: ReturnType<typeof readEnv>; readonly home?: string } = {},
): ProjectMemory {
  const project = realpathSync(cwd);
  const folder = join(realFolder(stateFolder({ env, home })), "projects");
  const path = join(folder, `${hashText(project).slice(0, 32)}.json`);
  const isInside = `${folder}${sep}`.startsWith(`${project}${sep}`) && project !== realpathSync(home);
  const nothing: Memory = { v: 1, project, journals: {}, told: [] };
  const read = (): Memory => {
    if (isInside) return nothing;
    try {
      const memory = memorySchema.parse(JSON.parse(readIfThere(path)?.toString() ?? "null"));
      return memory.project === project ? memory : nothing;
    } catch {
      // what cannot be read allows nothing
      return nothing;
    }
  };
  return {
    path,
    read,
    async write(changes) {
      if (isInside)
        throw new WhetstoneError(
          "config-invalid",
          `Consent would be kept in ${folder}, which lies in the project: whoever writes there could consent for you.`,
          { hint: "Set XDG_STATE_HOME to a folder outside of it, or unset it." },
        );
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      await writeFileAtomic(path, `${JSON.stringify({ ...read(), ...changes }, null, 2)}\n`, {
        isPrivate: true,
      });
    },
  };
}

/** With links resolved as far as it is there. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    const at = folder.lastIndexOf(sep);
    return at <= 0 ? folder : join(realFolder(folder.slice(0, at)), folder.slice(at + 1));
  }
}
