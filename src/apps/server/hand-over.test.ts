import { execFile } from "node:child_process";
import { chmodSync, readFileSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { sqliteJournal } from "../../adapters/journals/sqlite/sqlite.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { capturedIo } from "../../../test/support/captured-io.ts";
import { uiCommand } from "../cli/commands/ui-command.ts";
import { createHandOver } from "./hand-over.ts";
import { startServer } from "./start-server.ts";

test("a code is good once, and not after a minute", () => {
  let now = 0;
  const handOver = createHandOver(() => now);
  const [first, second] = [handOver.code(), handOver.code()];
  expect(["x", first, first].map((each) => handOver.take(each))).toEqual([false, true, false]);
  now = 60_001;
  expect(handOver.take(second)).toBe(false);
});

test.skipIf(process.platform !== "linux")(
  "no process shows the token in its arguments, and what the browser was given is used up by it",
  async () => {
    const dir = await tempDir({ "bin/xdg-open": "#!/bin/sh\nsleep 60\n", "page.html": "" });
    chmodSync(join(dir, "bin/xdg-open"), 0o755);
    vi.stubEnv("PATH", `${join(dir, "bin")}:${process.env["PATH"]}`);
    vi.stubEnv("DISPLAY", ":9");
    await (await sqliteJournal({ dir: join(dir, ".whetstone") })).close();
    const { io, text } = capturedIo(dir);
    const stop = new AbortController();
    const ended = uiCommand(
      { journalDir: join(dir, ".whetstone"), open: true },
      { ...io, isTerminal: true, signal: stop.signal },
    );
    onTestFinished(async () => {
      stop.abort();
      await ended;
      vi.unstubAllEnvs();
    });
    const given = await vi.waitUntil(
      () => {
        const own = commandLines().find((line) => line.includes(join(dir, "bin/xdg-open")));
        return own === undefined ? undefined : /http:\S+/.exec(own)?.[0];
      },
      { timeout: 120_000 },
    );
    const token = new URL(/http:\S+/.exec(text())?.[0] ?? "").searchParams.get("token") ?? "";
    expect(token).toMatch(/^[\w-]{22}$/);
    expect(commandLines().filter((line) => line.includes(token))).toEqual([]);

    // another user who is faster gets nothing, and takes nothing away
    if (process.getuid?.() === 0) {
      const other = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, "-e"];
      const said = await promisify(execFile)("setpriv", [
        ...other,
        `fetch(${JSON.stringify(given)}).then((r) => console.log(r.status))`,
      ]);
      expect(said.stdout.trim()).toBe("401");
    }
    const opened = await fetch(given);
    expect([opened.status, new URL(opened.url).searchParams.get("token")]).toEqual([200, token]);
    const again = await fetch(given);
    expect([again.status, await again.json()]).toMatchObject([401, { code: "no-token" }]);
  },
);

/** Of every process here: anybody on this machine can read them. */
const commandLines = (): readonly string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        return "";
      }
    });

test("500 connections of somebody without the token do not keep the person out", async () => {
  const server = await startServer({ journalDir: await tempDir(), page: "<!doctype html>" });
  onTestFinished(() => server.close());
  const ask = () =>
    fetch(`http://127.0.0.1:${server.port}/api/runs`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
  expect((await ask()).status).toBe(200);
  const idle = Array.from({ length: 500 }, (_, at) => {
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => {});
    // some say nothing, some begin a request and never end it
    if (at % 2 === 0) socket.write("GET / HTTP/1.1\r\nHost: ");
    return socket;
  });
  onTestFinished(() => idle.forEach((socket) => socket.destroy()));
  for (let nth = 0; nth < 20; nth += 1) {
    expect((await ask()).status).toBe(200);
    expect((await fetch(server.url)).status).toBe(200);
    await sleep(20);
  }
  await vi.waitUntil(() => idle.filter((socket) => !socket.closed).length <= 64, { timeout: 120_000 });
});
