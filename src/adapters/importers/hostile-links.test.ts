import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { importCases } from "../../../test/support/importers/cases.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { importTasks } from "./import-tasks.ts";
import { type ImportFormat, importFormats } from "./imported.ts";

const secret = "SECRET-OUTSIDE-77";
const main = fileURLToPath(new URL("../../apps/cli/main.ts", import.meta.url));

/** A small source in each format: the path to import comes first, then every file that is read for it. */
interface Source {
  readonly path: string;
  readonly files: Readonly<Record<string, string>>;
}

const grader = "---\ntype: llm\n---\n\nIt is friendly.\n";
const more: Readonly<Partial<Record<ImportFormat, readonly Source[]>>> = {
  "plugin-eval": [
    {
      path: "evals",
      files: {
        "evals/a/prompt.md": "Say hello.\n",
        "evals/a/graders/1.md": grader,
        "evals/b/case.yaml": "execution: { prompt: Hi }\ngraders: [{ type: llm, criteria: Kind. }]\n",
        "evals/c/prompt.md": "Say hello.\n",
        "evals/c/graders/1.md": "---\ntype: baseline\nbaseline_file: before.txt\n---\n\nAs friendly.\n",
        "evals/c/before.txt": "Hello.",
      },
    },
  ],
  trigger: [
    {
      path: "triggers.json",
      files: { "triggers.json": '[{ "query": "Sort my mail", "should_trigger": true }]' },
    },
  ],
  skillopt: [
    {
      path: "split",
      files: { "split/train.jsonl": '{ "id": "1", "question": "What now?", "answers": ["a"] }\n' },
    },
  ],
};

/** By the code's own list: a new format has no row here and fails until it has one. */
const sources = importFormats.flatMap((format) => {
  const listed = importCases
    .filter((one) => one.format === format)
    .map(({ files }): Source => {
      const [first = ""] = Object.keys(files);
      // splits are named by their folder
      return { path: /^tasks(?=\/)/.exec(first)?.[0] ?? first, files };
    });
  return [...listed, ...(more[format] ?? [])].flatMap((source) =>
    Object.keys(source.files).map((file) => ({ format, ...source, file })),
  );
});

test("every format has a source here", () => {
  expect([...new Set(sources.map(({ format }) => format))]).toEqual(importFormats);
});

/** The source in `project`, but for one file, which is a link. */
async function withLink({ files, file }: (typeof sources)[number], inRepository: boolean, to?: string) {
  const dir = await tempDir();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, "project", path)), { recursive: true });
    // the secret is a word of what is asked and checked, so whoever reads the file has it
    writeFileSync(
      join(dir, "project", path),
      path === file
        ? text.replaceAll(/[A-Za-z]{2,}(?=[ ?.!\n]|"(?!\s*:))/g, (word) => `${word}${secret}`)
        : text,
    );
  }
  if (inRepository) mkdirSync(join(dir, "project/.git"));
  const place = join(dir, "project", file);
  if (to === undefined) renameSync(place, join(dir, "outside"));
  else rmSync(place);
  symlinkSync(to ?? join(dir, "outside"), place);
  return join(dir, "project");
}

const readAll = async (path: string): Promise<string> => {
  const read = await importTasks(path).catch((error: unknown) => ({ error: String(error) }));
  return JSON.stringify(read);
};

test.each(sources)("$format: $file as a link out of the project isn't read", async (source) => {
  for (const inRepository of [true, false]) {
    const project = await withLink(source, inRepository);
    expect(await readAll(join(project, source.path))).not.toContain(secret);
  }
});

test.each(sources)("$format: $file as a pipe or a device is refused and not waited for", async (source) => {
  const project = await withLink(source, true, "/dev/zero");
  expect(await readAll(join(project, source.path))).toMatch(refused);
  rmSync(join(project, source.file));
  execFileSync("mkfifo", [join(project, source.file)]);
  expect(await readAll(join(project, source.path))).toMatch(refused);
});

const refused = /is a link to|is a pipe|isn't a file|is outside|no task file/;

test.each(sources)("$format: $file as a link to itself or to its own folder ends", async (source) => {
  for (const to of [basename(source.file), "."]) {
    const project = await withLink(source, true, to);
    const read = await readAll(join(project, source.path));
    expect(read).not.toContain(secret);
    expect(read).not.toContain("ELOOP");
  }
});

test.each(sources)(
  "$format: $file with 600 MB or 200,000 brackets is refused in a sentence",
  async (source) => {
    const project = await withLink(source, true, "x");
    const place = join(project, source.file);
    rmSync(place);
    writeFileSync(place, "");
    truncateSync(place, 600 * 1024 * 1024);
    expect(await readAll(join(project, source.path))).toMatch(
      /is 600 MB, but files of this kind|larger than 1 MB/,
    );
    for (const bracket of ["[", "{ a: "]) {
      // a table or a prompt may contain any text
      writeFileSync(place, `---\n${bracket.repeat(200_000)}\n---\n`);
      const yaml = await readAll(join(project, source.path));
      writeFileSync(place, bracket.replace(" a", '"a"').repeat(200_000));
      expect(yaml + (await readAll(join(project, source.path)))).not.toMatch(/call stack|RangeError/);
    }
  },
);

const firsts = sources.filter(({ format }, at) => sources.findIndex((one) => one.format === format) === at);

test.skipIf(process.platform !== "linux").each(firsts)(
  "$format: $file as a link to the environment of the command prints none of it",
  async (source) => {
    const project = await withLink(source, true, "/proc/self/environ");
    const env = { PATH: process.env["PATH"], A_KEY: secret };
    const out = await new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        [main, "import", source.path, "--out", "out.jsonl"],
        { cwd: project, env },
        (_, stdout, stderr) => resolve(stdout + stderr),
      );
    });
    expect(out).not.toBe("");
    const kept = await readAll(join(project, "out.jsonl"));
    expect(out + kept).not.toContain(secret);
  },
);

test("a link within the project is followed, and so is a path that the person names elsewhere", async () => {
  const row = '{ "id": "1", "input": "Q?", "answers": ["a"] }\n';
  const dir = await tempDir({ "shared/tasks.jsonl": row, "project/tasks.jsonl": row, "project/.git/x": "" });
  mkdirSync(join(dir, "project/skills/a"), { recursive: true });
  symlinkSync("../../tasks.jsonl", join(dir, "project/skills/a/tasks.jsonl"));
  symlinkSync(join(dir, "shared"), join(dir, "project/linked"));
  expect((await importTasks(join(dir, "project/skills/a/tasks.jsonl"))).tasks).toHaveLength(1);
  expect((await importTasks(join(dir, "project/../shared/tasks.jsonl"))).tasks).toHaveLength(1);
  const out = join(dir, "project/linked/tasks.jsonl");
  await expect(importTasks(out)).rejects.toMatchObject({
    message: `${out} is a link to ${join(dir, "shared/tasks.jsonl")}, outside ${join(dir, "project")}. It wasn't read.`,
    hint: `If you trust it, name ${join(dir, "shared/tasks.jsonl")} instead of ${out}.`,
  });
});

test("an archive unpacked below a home that is a repository is a project of its own", async () => {
  const dir = await tempDir({ ".git/x": "", "key.jsonl": '{ "id": "1", "input": "77", "answers": ["a"] }' });
  mkdirSync(join(dir, "archive"));
  symlinkSync("../key.jsonl", join(dir, "archive/tasks.jsonl"));
  vi.stubEnv("HOME", dir);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(importTasks(join(dir, "archive/tasks.jsonl"))).rejects.toThrow(", outside ");
});

test("a folder with more entries than anybody would import is refused", async () => {
  const dir = await tempDir();
  for (let at = 0; at <= 10_000; at += 1) writeFileSync(join(dir, `${at}.txt`), "");
  await expect(importTasks(dir)).rejects.toThrow("contains more than 10000 files");
});
