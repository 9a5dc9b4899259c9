import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type GithubComment, startGithubApi } from "../../test/support/github-api.ts";
import { runProgram } from "../support/run-program.ts";
import type { Ending } from "./end-training.ts";
import type { Journey } from "./journey.ts";
import type { Stranger } from "./stranger.ts";

/** Two of forty tests are code, all have a limit of time, and one kind of assert has no counterpart. */
function suite(tasks: readonly { readonly input: string; readonly answers?: readonly string[] }[]): string {
  const tests = tasks.map(({ input, answers: [code = ""] = [] }, at) => ({
    vars: { note: input },
    assert: [
      at < 2
        ? { type: "javascript", value: `output.trim() === ${JSON.stringify(code)}` }
        : { type: "equals", value: code },
    ],
  }));
  const aside = [
    { type: "latency", threshold: 60_000 },
    { type: "similar", value: "a shelf code", threshold: 0.3 },
  ];
  // JSON is YAML, too
  return JSON.stringify({
    description: "Parcel desk",
    prompts: ["Answer with the shelf code alone. {{note}}"],
    providers: ["openai:gpt-5.4-nano"],
    defaultTest: { assert: aside },
    tests,
  });
}

/** A suite of promptfoo, and a check on every pull request: one that helps, one that harms. */
export const team: Journey = {
  name: "C: a team with a promptfoo suite in CI",
  files: (world) => ({
    "SKILL.md": world.seedSkill(0),
    "promptfooconfig.yaml": suite(world.tasks(40)),
    ".gitignore": "node_modules/\n.whetstone/\n",
  }),
  async live(person, { world, url }): Promise<Ending> {
    await bringSuite(person, url);
    await person.type("git init -qb main && git add . && git commit -qm 'Parcel desk'");
    const comments: GithubComment[] = [];
    const github = await startGithubApi(comments);
    try {
      const better = await openRequest(person, {
        name: "learn",
        base: "main",
        text: world.seedSkill(5),
        github: github.url,
      });
      person.expect("a branch that helps passes", better.code === 0 && better.text.includes("better"));
      person.expect("JUnit's file has no failure", readJunit(person).includes('failures="0"'));
      await person.type("git checkout -q main && git merge -q learn");
      const harmful = "# Parcel desk\n\nName a shelf.\n";
      const worse = await openRequest(person, {
        name: "shorten",
        base: "main",
        text: harmful,
        github: github.url,
      });
      person.expect("a branch that harms is refused", worse.code === 1 && worse.text.includes("worse"));
      person.expect("JUnit's file has the failure", readJunit(person).includes('failures="1"'));
      person.expect(
        `one comment, kept up to date (${comments.length})`,
        comments.length === 1 && comments[0]?.body.includes("worse") === true,
      );
    } finally {
      github.close();
    }
    return { kind: "refused", words: "better merged; worse refused with exit code 1 and one comment" };
  },
};

/** From the suite as it is to a config that `doctor` finds nothing wrong with. */
async function bringSuite(person: Stranger, url: string): Promise<void> {
  const lost = await person.type("npx whetstone import promptfooconfig.yaml");
  person.expect(
    "an assert without a counterpart is named, with the way to leave it out",
    lost.code === 2 && lost.text.includes("similar") && lost.text.includes("--drop"),
  );
  const dropped = await person.type("npx whetstone import promptfooconfig.yaml --drop similar");
  person.expect(
    "without it all tests come over",
    dropped.code === 0 && dropped.text.includes("40 tasks understood"),
  );
  await person.type(`npx whetstone init --target llamacpp/small-7b --base-url ${url}`);
  const refused = await person.type("npx whetstone doctor");
  person.expect("`doctor` names the same way", refused.text.includes("--drop similar"));
  const doctor = await person.type("npx whetstone doctor --drop similar");
  person.expect("`doctor` finds nothing wrong then", doctor.code === 0);
  const config = join(person.cwd, "whetstone.config.mts");
  writeFileSync(config, readFileSync(config, "utf8").replace("};", '  drop: ["similar"],\n};'));
}

interface Request {
  readonly name: string;
  readonly base: string;
  /** What the branch makes of the skill. */
  readonly text: string;
  readonly github: string;
}

/** A pull request, checked by a workflow as the page on CI has it. */
async function openRequest(person: Stranger, { name, base, text, github }: Request) {
  const { cwd, env } = person;
  await person.type(`git checkout -q -b ${name}`);
  writeFileSync(join(cwd, "SKILL.md"), text);
  await person.type(`git commit -qam '${name}'`);
  const event = join(cwd, ".git/event.json");
  writeFileSync(event, JSON.stringify({ pull_request: { number: 7 } }));
  const line = `npx whetstone pr --base ${base} --fail-on worse --junit skills.xml --comment`;
  const began = performance.now();
  const { code, printed } = await runProgram("npx", line.split(" ").slice(1), {
    cwd,
    env: {
      ...env,
      CI: "true",
      GITHUB_ACTIONS: "true",
      GITHUB_API_URL: github,
      GITHUB_REPOSITORY: "team/desk",
      GITHUB_EVENT_PATH: event,
      GITHUB_TOKEN: "a-token",
    },
  });
  const shown = { code, text: printed, ms: performance.now() - began };
  person.note(line, shown);
  return shown;
}

function readJunit({ cwd }: Stranger): string {
  const path = join(cwd, "skills.xml");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
