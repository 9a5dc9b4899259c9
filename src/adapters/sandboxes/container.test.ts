import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { SandboxJob } from "../../core/ports/sandbox.ts";
import { containerSandbox, describeContainer } from "./container.ts";

const job: SandboxJob = {
  workspace: "/w",
  home: "/h",
  readOnly: { "/host/tool": "/opt/tool" },
  socket: "/s/model.sock",
  limits: { seconds: 60, memoryMb: 512, processes: 64, diskMb: 100 },
  command: ({ baseUrl, path, workspace }) => ({
    argv: [path("/host/tool"), baseUrl, workspace],
    env: { KEY: "dummy" },
    stdin: "prompt",
  }),
};

test("the command line gives a container nothing but what the job names", () => {
  const { argv } = describeContainer(job, "box", "image");
  const line = argv.join(" ");
  for (const part of [
    "run --rm --name box --init --interactive",
    "--network none --cap-drop ALL --security-opt no-new-privileges --read-only",
    "--memory 512m --memory-swap 512m --pids-limit 1024",
    "--volume /h:/home/dev:rw --volume /w:/home/dev/project:rw --volume /host/tool:/opt/tool:ro",
    "--volume /s/model.sock:/run/whetstone/model.sock:ro",
    "--env KEY=dummy image timeout --signal KILL 65 node -e",
    "/opt/tool http://127.0.0.1:41730 /home/dev/project",
  ])
    expect(line).toContain(part);
  expect(line).toMatch(/--user [1-9]\d*:\d+/);
  expect(line).not.toContain("--privileged");
});

test("without home and socket there is a temporary home and the plain command", () => {
  const { home: _home, socket: _socket, ...bare } = job;
  const { argv } = describeContainer({ ...bare, command: () => ({ argv: ["true"] }) }, "box", "image");
  expect(argv.join(" ")).toContain("--tmpfs /home/dev:rw,nosuid,nodev,mode=1777,size=100m");
  expect(argv.slice(-2)).toEqual(["65", "true"]);
  expect(argv).not.toContain("--interactive");
});

test("a stop is told to the container, and the runtime's own failure is none of the command's", async () => {
  const folder = await tempDir({
    docker: `#!/bin/sh\necho "$1 $2" >> "$(dirname "$0")/log"\n[ $1 = kill ] && kill $(cat "$(dirname "$0")/pid") && exit 0\necho $$ > "$(dirname "$0")/pid"; exec sleep 30\n`,
  });
  const program = join(folder, "docker");
  chmodSync(program, 0o755);
  const sandbox = containerSandbox({ program, env: { PATH: "/usr/bin:/bin" } });
  const plain = { workspace: await tempDir(), limits: job.limits, command: () => ({ argv: ["true"] }) };
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 200);
  expect(await sandbox.run(plain, stop.signal)).toMatchObject({ ended: "stopped", exitCode: null });
  expect(readFileSync(join(folder, "log"), "utf8")).toMatch(/^run --rm\nkill whetstone-[0-9a-f-]+\n$/);
  writeFileSync(program, "#!/bin/sh\necho no image >&2; exit 125\n");
  await expect(sandbox.run(plain, new AbortController().signal)).rejects.toThrow(/no image/);
});
