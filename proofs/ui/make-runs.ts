import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Config, compare, evaluate, prune, train } from "../../src/index.ts";
import { createDemo, type DemoOptions } from "../../src/run/demo-world.ts";
import { hiddenRuleWorld, startScriptedServer } from "../../src/testing/index.ts";

/** One finished run of every kind, by what it came to. */
export type RunKind = "better" | "unproven" | "kept" | "prune" | "compare" | "agent";
export type MadeRuns = Readonly<Record<RunKind, string>>;

export interface RunPlace {
  readonly journal: string;
  /** Holds the skills. */
  readonly folder: string;
  readonly seed: number;
}

/** The skill that can be adopted. */
export const skillFile = ({ folder }: Pick<RunPlace, "folder">): string => join(folder, "office", "SKILL.md");

/** Real runs of each kind against scripted servers. Two skills have one name, as in a folder with a copy of itself. */
export async function makeRuns(place: RunPlace): Promise<MadeRuns> {
  const { seed } = place;
  const few = { train: 24, val: 24, test: 14 };
  return {
    kept: await trainOffice(place, "kept/SKILL.md", {
      seed: seed + 2,
      proposals: { useful: 0, useless: 1, harmful: 1 },
      sizes: few,
      settings: { epochs: 1 },
    }),
    // whatever is proposed is taken, and few test tasks cannot tell
    unproven: await trainOffice(place, "annex/SKILL.md", {
      seed: seed + 1,
      rulesHeld: 7,
      sizes: few,
      settings: { epochs: 1, gate: "off" },
    }),
    better: await trainOffice(place, "office/SKILL.md", {
      seed,
      sizes: { train: 40, val: 40, test: 60 },
      settings: { epochs: 2 },
    }),
    ...(await measureOffice(place)),
    agent: await rollAgent(place),
  };
}

interface Office extends DemoOptions {
  readonly sizes: { readonly train: number; readonly val: number; readonly test: number };
  readonly settings: Pick<Config, "epochs" | "gate">;
}

async function trainOffice({ journal, folder }: RunPlace, file: string, office: Office): Promise<string> {
  const demo = createDemo(office);
  const skill = writeSkill(join(folder, file), demo.skill);
  await using server = await startScriptedServer({ seed: office.seed, world: demo.world, record: false });
  const tasks = demo.world.splits(office.sizes);
  return (await train({ ...demo.config(server.url), skill, tasks, ...office.settings, journal })).id;
}

/** A skill with advice that changes nothing: without it, and against one that knows less. */
async function measureOffice({
  journal,
  folder,
  seed,
}: RunPlace): Promise<Pick<MadeRuns, "prune" | "compare">> {
  const world = hiddenRuleWorld({ seed, rules: 6, passWith: 0.95, passWithout: 0.05, noise: 0.1 });
  await using server = await startScriptedServer({ seed, world, record: false });
  const advice = "- Read every note twice before you answer it.\n- Stay calm.\n";
  const skill = writeSkill(join(folder, "depot/SKILL.md"), `${world.seedSkill(3).trimEnd()}\n${advice}`);
  const baseline = writeSkill(join(folder, "depot-before/SKILL.md"), world.seedSkill(1));
  const shared: Config = {
    skill,
    tasks: world.splits({ train: 4, val: 16, test: 12 }),
    target: "office/target",
    baseURL: `${server.url}/v1`,
    spend: { calls: 20_000 },
    trials: 2,
    concurrency: 64,
    journal,
  };
  return {
    prune: (await prune({ ...shared, margin: 25 })).id,
    compare: (await compare({ ...shared, baseline, on: "val" })).id,
  };
}

/** A program of one's own that leaves files behind, in plain sight of whoever opens the task. */
async function rollAgent({ journal, folder }: RunPlace): Promise<string> {
  const clerk = join(folder, "clerk.sh");
  writeFileSync(clerk, clerkProgram);
  const skill = writeSkill(
    join(folder, "clerk/SKILL.md"),
    "---\nname: clerk\ndescription: Use when a note has to be filed.\n---\n\nFile every note.\n",
  );
  const notes = Array.from({ length: 6 }, (_, at) => ({
    id: `note-${at + 1}`,
    input: `File note ${at + 1}.`,
    files: { "note.txt": `Parcel ${at + 1}\n`, "draft.txt": "old\n" },
    checks: [{ kind: "file", value: { path: "filed.md", contains: "Filed" } }],
  }));
  const { id } = await evaluate({
    skill,
    tasks: { val: notes.slice(0, 4), train: notes.slice(4, 5), test: notes.slice(5) },
    target: "clerk/default",
    agents: { clerk: { run: ["/bin/sh", clerk], version: "1" } },
    sandbox: "none",
    spend: { calls: 100 },
    journal,
  });
  return id;
}

const clerkProgram = `cat > /dev/null
printf '# Filed\\n\\n- %s\\n' "$(cat note.txt)" > filed.md
mkdir -p log && date -u +%Y > log/day.txt
rm -f draft.txt
echo 'The note is filed.'
`;

function writeSkill(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
