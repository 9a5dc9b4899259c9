import { createServer } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { noSandbox } from "./no-sandbox.ts";

const never = new AbortController().signal;
const limits = { seconds: 10, memoryMb: 512, processes: 40, diskMb: 64 };

test("without a box the command still gets a cleared environment, the workspace and the way to the model", async () => {
  const workspace = await tempDir({ "in.txt": "hello" });
  const socket = join(workspace, "s.sock");
  const server = createServer((request, response) => response.end(request.url));
  await new Promise<void>((resolve) => void server.listen(socket, resolve));
  const script = 'env | cut -d= -f1 | sort | tr "\\n" " "; cat in.txt; node -e "$0" "$1"';
  const get = "fetch(process.argv[1] + '/v1/x').then((r) => r.text()).then(console.log)";
  const result = await noSandbox().run(
    { workspace, socket, limits, command: ({ baseUrl }) => ({ argv: ["sh", "-c", script, get, baseUrl] }) },
    never,
  );
  expect(result).toMatchObject({
    exitCode: 0,
    ended: "exit",
    stdout: "HOME LANG PATH PWD TMPDIR hello/v1/x\n",
  });
  server.close();
});

test("limits end the tree, also what left the group", async () => {
  const workspace = await tempDir();
  const run = (script: string, change: object = {}) =>
    noSandbox().run(
      { workspace, limits: { ...limits, ...change }, command: () => ({ argv: ["sh", "-c", script] }) },
      never,
    );
  expect(await run("sleep 30", { seconds: 0.2 })).toMatchObject({ ended: "time", exitCode: null });
  const many = await run("for i in 1 2 3 4 5 6; do setsid sleep 30 & done; wait", { processes: 4 });
  expect(many).toMatchObject({ ended: "processes" });
  expect(many.ms).toBeLessThan(10_000);
});
