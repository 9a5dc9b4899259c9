import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type GithubComment, startGithubApi } from "../../test/support/github-api.ts";
import { checkOutMerge, mergeAsGithub } from "../../test/support/github-merge.ts";
import {
  type LoopbackNpm,
  type LoopbackServer,
  lockRelease,
  loopbackNpm,
  startRegistry,
  tarballPath,
} from "../../test/support/loopback-npm.ts";
import { type Change, gitIn, makeRepository, put } from "../../test/support/repository.ts";
import { type ScriptedServer, hiddenRuleWorld, startScriptedServer } from "../../src/testing/index.ts";
import { builtCli } from "../support/built-cli.ts";
import { runAction } from "./run-action.ts";

export const world = hiddenRuleWorld({ seed: 6, rules: 6, noise: 0.3, passWith: 1, passWithout: 0.1 });
export const [poor, fair, good] = [world.seedSkill(1), world.seedSkill(3), world.seedSkill(6)];
const root = join(import.meta.dirname, "../..");

export interface Push {
  readonly name: string;
  readonly skill: string;
  /** A file beside the skill, so that a push can change something else. */
  readonly readme?: string;
  readonly isFork?: boolean;
  /** Further files of the push. */
  readonly extra?: Readonly<Record<string, Change>>;
  /** What somebody else changes on the base branch after the workflow began, as a workflow that is run again finds it. */
  readonly meanwhile?: Readonly<Record<string, string>>;
  /** The pull request. @default 7 */
  readonly pullRequest?: string;
}

export interface Pushed {
  readonly code: number;
  readonly printed: string;
  /** Reports that GitHub would attest. */
  readonly attested: readonly string[];
  /** Calls that the model was asked. */
  readonly bought: number;
  readonly summary: string;
  /** What the pull request shows now. */
  readonly comment: string;
}

/** A repository on this machine, with pull requests whose pushes each run the action. */
export interface Hub {
  readonly server: ScriptedServer;
  readonly comments: GithubComment[];
  /** Where caches are kept, by ref. */
  readonly caches: string;
  readonly folder: string;
  /** The built program. */
  readonly cli: string;
  /** The base branch's config. */
  readonly config: Readonly<Record<string, unknown>>;
  /** A registry that the pull request's .npmrc names. */
  readonly hostile: LoopbackServer;
  readonly npm: LoopbackNpm;
  readonly push: (push: Push) => Promise<Pushed>;
  close(): Promise<void>;
}

export interface HubOptions {
  readonly tasks?: number;
  /** Further files of the base branch. */
  readonly files?: Readonly<Record<string, Change>>;
}

export async function openHub(
  log: (line: string) => void,
  { tasks = 40, files: more = {} }: HubOptions = {},
): Promise<Hub> {
  const cli = builtCli(log);
  const folder = mkdtempSync(join(tmpdir(), "whetstone-action-"));
  const authorization = "Bearer sk-of-the-project";
  const server = await startScriptedServer({ seed: 6, world, record: false, authorization });
  const comments: GithubComment[] = [{ id: 1, body: "Thanks!", user: { login: "ada" } }];
  const github = await startGithubApi(comments, { mayWrite: (token) => token === "Bearer may-write" });
  const code = `import ${JSON.stringify(pathToFileURL(cli).href)};\n`;
  const npm = await loopbackNpm(folder, packageVersion(), code);
  const release = lockRelease(npm, folder);
  const hostile = await startRegistry(() => ({}));
  const caches = join(folder, "caches");
  const config = {
    target: "office/target",
    providers: { office: { baseURL: `${server.url}/v1`, apiKeyEnv: "OFFICE_API_KEY" } },
    prices: { "office/target": { input: 1, output: 4 } },
    trials: 2,
  };
  const origin = join(folder, "origin");
  mkdirSync(origin);
  makeRepository(origin, [
    {
      "skills/office/SKILL.md": withHead(fair),
      "skills/office/tasks.jsonl": taskLines(tasks),
      "skills/post/SKILL.md": "Sort letters.",
      "whetstone.config.json": JSON.stringify(config),
      ".gitignore": "node_modules\n.whetstone\n",
      ...more,
    },
  ]);
  let number = 0;
  const push = async (given: Push): Promise<Pushed> => {
    const { name, skill, readme = "", isFork = false, meanwhile = {}, extra = {}, pullRequest = "7" } = given;
    number += 1;
    const [summary, calls] = [join(folder, `summary-${number}.md`), server.callCount];
    const files = {
      "skills/office/SKILL.md": withHead(skill),
      "README.md": readme,
      ".npmrc": npmrc(hostile),
    };
    const { cwd, sha } = checkOut({ folder, origin, number, files: { ...files, ...extra }, meanwhile });
    const {
      code: exit,
      printed,
      attested,
    } = await runAction({
      cwd,
      caches,
      scopes: [`refs/pull/${pullRequest}/merge`, "refs/heads/main"],
      temp: join(folder, `temp-${number}`),
      inputs: { junit: "junit.xml", attest: "true", "github-token": isFork ? "read-only" : "may-write" },
      github: {
        action_path: release,
        base_ref: "main",
        ref: "refs/pull/7/merge",
        sha,
        run_id: String(number).padStart(4, "0"),
        run_attempt: "1",
        "event.pull_request.head.repo.fork": String(isFork),
      },
      env: {
        ...workflowEnv(folder, summary, github.url, npm.bin),
        ...(isFork ? {} : { OFFICE_API_KEY: "sk-of-the-project" }),
      },
    });
    const bought = server.callCount - calls;
    log(
      `${name}: exit ${exit}, ${bought} calls; ${comments.length - 1} comment${isFork ? "" : `: ${lineOf(comments)}`}`,
    );
    return {
      code: exit,
      printed,
      attested: attested.map((file) => readFileSync(file, "utf8")),
      bought,
      summary: readIfThere(summary),
      comment: comments.at(-1)?.body ?? "",
    };
  };
  return {
    server,
    comments,
    caches,
    folder,
    cli,
    config,
    hostile,
    npm,
    push,
    async close() {
      github.close();
      npm.registry.close();
      hostile.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Pushes to one pull request, each a workflow of its own; then the same from a fork without a key. */
export async function pullRequests(log: (line: string) => void) {
  const hub = await openHub(log);
  const { server, comments, hostile, npm, push } = hub;
  const problems: string[] = [];
  const expect = (isTrue: boolean, what: string) => void (isTrue || problems.push(what));
  try {
    const first = await push({ name: "a better skill", skill: good });
    expect(
      first.code === 0 && first.bought > 100,
      `the first push ended with ${first.code}: ${first.printed.slice(-800)}`,
    );
    expect(/▲ \*\*better\*\*/.test(lineOf(comments)), "the first push was not called better");
    const second = await push({ name: "a push that changes another file", skill: good, readme: "News." });
    expect(
      second.code === 0 && second.bought === 0,
      `a push that changes nothing bought ${second.bought} calls`,
    );
    expect(/\$0(?:\.0+)? now/.test(lineOf(comments)), "its comment does not say that it cost nothing");
    const again = await push({
      name: "the same again, after somebody else changed another skill",
      skill: good,
      readme: "News.",
      meanwhile: { "skills/post/SKILL.md": "Sort letters by street." },
    });
    expect(again.code === 0 && again.bought === 0, `the same again bought ${again.bought} calls`);
    expect(
      !comments.at(-1)?.body.includes("skills/post"),
      "what somebody else changed on the base branch is taken for this pull request's",
    );
    const third = await push({ name: "a worse skill", skill: poor });
    expect(third.code === 1, `a worse skill ended with ${third.code}`);
    expect(
      third.attested.length === 1 && third.attested[0]?.includes('"verdict":"worse"') === true,
      `of a worse skill ${third.attested.length} reports are attested, or one that doesn't say so`,
    );
    expect(/▼ \*\*worse\*\*/.test(lineOf(comments)), "the worse skill was not called worse");
    expect(/Tasks lost: /.test(comments.at(-1)?.body ?? ""), "the lost tasks are not named");
    expect(comments.length === 2, `there are ${comments.length - 1} comments after all pushes`);
    expect(comments[0]?.body === "Thanks!", "somebody else's comment was touched");

    const other = await push({
      name: "another pull request with a known text",
      skill: good,
      pullRequest: "8",
    });
    expect(other.bought > 100, `it used the cache of another pull request: ${other.bought} calls`);

    const known = await push({ name: "a fork with a text that the cache knows", skill: good, isFork: true });
    expect(
      known.code === 0 && known.bought === 0,
      `the fork ended with ${known.code}: ${known.printed.slice(-800)}`,
    );
    expect(
      /Changed skills weren't measured/.test(known.summary),
      "the fork's summary does not say that nothing was measured",
    );
    const unknown = await push({ name: "a fork with a new text", skill: world.seedSkill(5), isFork: true });
    expect(
      unknown.code === 0 && unknown.bought === 0,
      `the other fork ended with ${unknown.code}: ${unknown.printed.slice(-800)}`,
    );
    expect(
      /Not measured: .*would take \d+.* calls/.test(unknown.summary),
      "the other fork does not say what it would take",
    );
    expect(comments.length === 2, "a fork wrote a comment");
    expect(known.attested.length + unknown.attested.length === 0, "a report of a fork is attested");
    expect(
      hostile.asked.length === 0,
      `the registry of the pull request's .npmrc was asked ${hostile.asked.length} times`,
    );
    expect(
      npm.registry.asked.includes(tarballPath(packageVersion())),
      "the package was not installed by npm",
    );
    return {
      problems,
      comment: comments.at(-1)?.body ?? "",
      figures: {
        calls: server.callCount,
        comments: comments.length - 1,
        hostileRegistryAsked: hostile.asked.length,
      },
    };
  } finally {
    await hub.close();
  }
}

/** What a pull request could bring along to have its own program installed. */
const npmrc = ({ url }: LoopbackServer): string => `registry=${url}\nproxy=${url}\nhttps-proxy=${url}\n`;

export const withHead = (text: string): string =>
  `---\nname: office\ndescription: Answers notes of a parcel office. Use for each note.\n---\n\n${text}`;

export const taskLines = (count: number): string =>
  world
    .tasks(count)
    .map((task) => `${JSON.stringify(task)}\n`)
    .join("");

interface Checkout {
  readonly folder: string;
  readonly origin: string;
  readonly number: number;
  readonly files: Readonly<Record<string, Change>>;
  readonly meanwhile: Readonly<Record<string, string>>;
}

/** What actions/checkout leaves of a push. */
function checkOut({ folder, origin, number, files, meanwhile }: Checkout) {
  const git = gitIn(origin);
  const commit = (changes: Readonly<Record<string, Change>>, message: string) => {
    for (const [path, change] of Object.entries(changes)) put(join(origin, path), change);
    git("add", "--all", "--force");
    git("commit", "--quiet", "--allow-empty", "--message", message);
  };
  git("checkout", "--quiet", "-B", "change", "main");
  commit(files, `Push ${number}`);
  const sha = mergeAsGithub(origin);
  if (Object.keys(meanwhile).length > 0) commit(meanwhile, "Meanwhile");
  const cwd = join(folder, `checkout-${number}`);
  checkOutMerge(origin, sha, cwd);
  return { cwd, sha };
}

function workflowEnv(
  folder: string,
  summary: string,
  api: string,
  bin: string,
): Readonly<Record<string, string>> {
  const event = join(folder, "event.json");
  writeFileSync(event, JSON.stringify({ pull_request: { number: 7 } }));
  return {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: join(folder, "home"),
    NO_COLOR: "1",
    GITHUB_API_URL: api,
    GITHUB_REPOSITORY: "me/skills",
    GITHUB_EVENT_PATH: event,
    GITHUB_BASE_REF: "main",
    GITHUB_STEP_SUMMARY: summary,
  };
}

const packageVersion = (): string =>
  (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;

/** The row of the table. */
const lineOf = (comments: readonly GithubComment[]): string =>
  (comments.at(-1)?.body ?? "").split("\n").find((line) => line.startsWith("| `skills/")) ?? "";

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
