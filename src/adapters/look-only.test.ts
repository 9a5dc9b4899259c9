import { execFile, spawnSync } from "node:child_process";
import { existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { loadSqlite } from "./journals/sqlite/load-sqlite.ts";
import { allowConnecting, lookOnly } from "./look-only.ts";

const looked = "This command only looks, and it tried to";

test("in a look nothing writes, starts or connects, also not after it has waited; beside it everything does", async () => {
  const dir = await tempDir({ "a.txt": "a" });
  const at = (name: string) => join(dir, name);
  const port = await listen();
  const deeds: Readonly<Record<string, () => unknown>> = {
    write: () => writeFileSync(at("b.txt"), ""),
    open: () => openSync(at("b.txt"), "a"),
    openPromised: () => open(at("b.txt"), "w"),
    folder: () => mkdir(at("c")),
    rename: () => rename(at("a.txt"), at("b.txt")),
    program: () => spawnSync("touch", [at("b.txt")]),
    laterProgram: () => execFile("touch", [at("b.txt")]),
    thread: () => new Worker("0", { eval: true }),
    host: () => fetch(`http://127.0.0.1:${port}`),
    database: () => new (loadSqlite().DatabaseSync)(at("d.db")),
  };
  for (const [name, deed] of Object.entries(deeds))
    await lookOnly(async () => {
      await readFile(at("a.txt"));
      const error = await Promise.resolve()
        .then(deed)
        .then(
          () => undefined,
          (caught: Error) => caught,
        );
      expect(`${name}: ${error?.message} ${String(error?.cause)}`).toContain(looked);
    });
  expect(existsSync(at("b.txt")) || existsSync(at("c")) || existsSync(at("d.db"))).toBe(false);
  expect(lookOnly(() => readFileSync(at("a.txt"), "utf8"))).toBe("a");

  writeFileSync(at("b.txt"), "b");
  expect(spawnSync("true").status).toBe(0);
});

test("a look connects once a person has named the store", async () => {
  const port = await listen();
  const status = await lookOnly(async () => {
    allowConnecting();
    return (await fetch(`http://127.0.0.1:${port}`)).status;
  });
  expect(status).toBe(204);
});

async function listen(): Promise<number> {
  const server = createServer((socket) => void socket.end("HTTP/1.1 204 No Content\r\n\r\n"));
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
