import { cpSync, existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { listen, mark, openPerson } from "./support/open-person.ts";

const conversation = (dir: string): string => {
  const line = (type: string, content: unknown, at: number) =>
    JSON.stringify({
      type,
      message: { role: type, content, ...(type === "assistant" ? { id: `m${at}` } : {}) },
      uuid: `r${at}`,
      timestamp: new Date(Date.now() - 3_600_000 + 1000 * at).toISOString(),
      cwd: dir,
      sessionId: "00000000-0000-4000-8000-000000000000",
      isSidechain: false,
      userType: "external",
    });
  return [
    line("user", "Make a table of the orders for the merger with Ostler.", 0),
    line("assistant", [{ type: "text", text: "The table is ready." }], 1),
    line("user", "No, always put Monday first.", 2),
    line("assistant", [{ type: "text", text: "Done." }], 3),
  ].join("\n");
};

/** A project whose nights have been allowed, with models at one server. */
async function openNights(host: string) {
  const config = (given: object): string =>
    JSON.stringify({ target: "own/target", optimizer: "own/optimizer", spend: { calls: 5 }, ...given });
  const at = (place: string, apiKeyEnv = "KEY") =>
    config({ providers: { own: { baseURL: `http://${place}/v1`, apiKeyEnv } } });
  const person = await openPerson({ "CLAUDE.md": "# Shop\n", "whetstone.config.json": at(host) });
  const folder = join(person.home, ".claude", "projects", "-p");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "00000000-0000-4000-8000-000000000000.jsonl"),
    `${conversation(person.dir)}\n`,
  );
  const opted = await person.whetstone(["sleep", "init", "--yes"]);
  expect(opted).toMatchObject({ code: 0, out: expect.stringContaining(`${host} with KEY`) });
  return { ...person, at };
}

test.each([["--unattended"], ["by hand"]])(
  "a night goes to no other host and with no other key than the person has allowed (%s)",
  async (way) => {
    const [usual, other] = [await listen(), await listen()];
    const person = await openNights(usual.host);
    const night = (...more: readonly string[]) =>
      person.whetstone(["sleep", "run", ...(way === "by hand" ? [] : [way]), ...more], {
        SECRET: "the-aws-secret",
      });
    expect((await night()).err).not.toContain("not-consented");
    expect(usual.heard).toContain("Bearer the-key");
    usual.heard.length = 0;

    const turns: readonly (readonly [config: string, names: readonly string[]])[] = [
      [
        person.at(other.host),
        way === "by hand" ? [other.host, "KEY"] : ["whetstone.config.json has changed"],
      ],
      [
        person.at(usual.host, "SECRET"),
        way === "by hand" ? ["SECRET"] : ["whetstone.config.json has changed"],
      ],
    ];
    for (const [config, names] of turns) {
      await person.write("whetstone.config.json", config);
      const refused = await night();
      expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("not-consented") });
      for (const text of names) expect(refused.err).toContain(text);
      expect(refused.err).toContain("whetstone trust");
    }
    // flags and variables of the machine name hosts too
    await person.write("whetstone.config.json", person.at(usual.host));
    const flagged = await night("--target", "else/m", "--base-url", `http://${other.host}/v1`);
    expect(flagged.err).toContain(`sending to ${other.host}`);
    expect(flagged.err).toContain(`whetstone trust --target else/m --base-url http://${other.host}/v1`);
    expect([usual.heard, other.heard]).toEqual([[], []]);

    await person.write("whetstone.config.json", person.at(other.host));
    expect((await person.whetstone(["trust", "--yes"])).code).toBe(0);
    expect((await night()).err).not.toContain("not-consented");
    expect(other.heard).toContain("Bearer the-key");
  },
);

test("a file of keys gives an unattended night the variables that the consent names, and no others", async () => {
  const server = await listen();
  const person = await openNights(server.host);
  await person.write(
    "keys.env",
    "KEY=from-file\nNODE_OPTIONS=--import=./evil.mjs\nHTTPS_PROXY=\nXDG_STATE_HOME=/x\n",
  );
  await person.write("evil.mjs", mark("evil"));
  const { err } = await person.whetstone(["sleep", "run", "--unattended", "--keys", "keys.env"], {
    KEY: "",
  });
  expect(err).toContain("NODE_OPTIONS, XDG_STATE_HOME left out");
  expect(person.ran()).toEqual([]);
  expect(server.heard).toContain("Bearer from-file");
});

test("sleep schedule says what a night runs and where it sends, and the timer runs it unattended", async () => {
  const person = await openNights("models.example.org");
  const crontab = join(person.dir, "bin", "crontab");
  const table = join(person.home, "table");
  await person.write(
    "bin/crontab",
    `#!/bin/sh\nif [ "$1" = -l ]; then cat "${table}" 2>/dev/null || { echo "no crontab for me" >&2; exit 1; }; else cat > "${table}"; fi\n`,
  );
  await chmod(crontab, 0o755);
  const env = {
    PATH: `${dirname(crontab)}:${process.env["PATH"]}`,
    XDG_STATE_HOME: join(person.home, "state"),
  };
  // opted in there, and nothing allowed yet
  const state = join(env.XDG_STATE_HOME, "whetstone");
  cpSync(join(person.home, ".local/state/whetstone"), state, { recursive: true });
  for (const memory of globSync(join(state, "projects/*/memory.json"))) rmSync(memory);
  const schedule = (...more: readonly string[]) =>
    person.whetstone(["sleep", "schedule", "--timer", "cron", ...more], env);
  expect(await schedule()).toMatchObject({ code: 2, err: expect.stringContaining("--yes") });
  expect(existsSync(table)).toBe(false);
  // the shell has the key, and a timer does not: that night would fail every day
  const refused = await schedule("--yes");
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringMatching(/timer-failed: A night couldn't start from cron[^]*KEY/),
  });
  expect(existsSync(table)).toBe(false);
  await person.write("keys.env", "KEY=from-file\n");
  const keys = ["--keys", "keys.env"] as const;
  const scheduled = await schedule("--yes", ...keys);
  expect(scheduled).toMatchObject({ code: 0, out: expect.stringContaining("models.example.org with KEY") });
  const jobs = readFileSync(table, "utf8");
  expect(jobs).toContain("sleep run --unattended");
  // programs of the project are no part of what was looked at
  expect(jobs).not.toContain(dirname(crontab));
  expect(jobs).toContain(`XDG_STATE_HOME=${env.XDG_STATE_HOME}`);
  // asked once: the same again is not asked
  expect((await schedule(...keys)).code).toBe(0);
  await person.write("whetstone.config.json", person.at("models.example.net"));
  expect((await person.whetstone(["sleep", "run", "--if-due"], env)).code).toBe(2);
  const status = await person.whetstone(["sleep", "status"], env);
  expect(status.out).toMatch(
    /^The last night failed, at \d{4}-\d\d-\d\d \d\d:\d\d UTC: .*\n +next: .*whetstone trust/s,
  );
  expect(status.out).toContain("the next night won't run, because whetstone.config.json changed");
});
