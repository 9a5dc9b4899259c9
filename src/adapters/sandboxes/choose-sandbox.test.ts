import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { chooseSandbox, scopeCommand } from "./choose-sandbox.ts";

const env = { PATH: "/usr/local/bin:/usr/bin:/bin" };

/** A PATH on which only these programs are. */
async function pathWith(programs: Readonly<Record<string, string>>): Promise<string> {
  const folder = await tempDir(programs);
  for (const name of Object.keys(programs)) chmodSync(join(folder, name), 0o755);
  return folder;
}

test("on Linux it is bubblewrap", async () => {
  expect((await chooseSandbox("auto", { env, platform: "linux" })).name).toBe("bubblewrap");
});

test("without any sandbox the answer is a refusal with the line that installs one", async () => {
  const refusal = { code: "sandbox-missing", exitCode: 2 };
  const empty = { PATH: await pathWith({}) };
  await expect(chooseSandbox("auto", { env: empty, platform: "linux" })).rejects.toMatchObject({
    ...refusal,
    hint: expect.stringContaining("install bubblewrap"),
  });
  await expect(chooseSandbox("container", { env: empty })).rejects.toMatchObject(refusal);
  await expect(chooseSandbox("seatbelt", { env, platform: "linux" })).rejects.toMatchObject(refusal);
  await expect(chooseSandbox("bubblewrap", { env, platform: "darwin" })).rejects.toMatchObject(refusal);
  await expect(chooseSandbox("auto", { env, platform: "win32" })).rejects.toMatchObject({
    ...refusal,
    hint: expect.stringContaining("--sandbox container"),
  });
});

test("a bubblewrap that is too old or may not make namespaces is refused, with its own words", async () => {
  const old = await pathWith({ bwrap: "#!/bin/sh\necho --unshare-all\n" });
  await expect(chooseSandbox("auto", { env: { PATH: old }, platform: "linux" })).rejects.toThrow(
    /0\.8 or newer/,
  );
  const script =
    "#!/bin/sh\n[ $1 = --help ] && echo --disable-userns && exit 0\necho 'No permissions to create new namespace' >&2; exit 1\n";
  const barred = await pathWith({ bwrap: script });
  await expect(chooseSandbox("auto", { env: { PATH: barred }, platform: "linux" })).rejects.toThrow(
    /No permissions/,
  );
});

test("a container runtime must answer", async () => {
  const docker = await pathWith({ docker: "#!/bin/sh\nexit 0\n" });
  expect((await chooseSandbox("container", { env: { PATH: docker } })).name).toBe("container");
  const asleep = await pathWith({ podman: "#!/bin/sh\necho no daemon >&2; exit 1\n" });
  await expect(chooseSandbox("container", { env: { PATH: asleep } })).rejects.toThrow(/no daemon/);
});

test("none is had only by its name", async () => {
  expect((await chooseSandbox("none", { env: {} })).name).toBe("none");
});

test("a systemd scope holds memory and tasks in the kernel", () => {
  const words = scopeCommand("systemd-run", ["--user"], {
    seconds: 1,
    memoryMb: 1000,
    processes: 64,
    diskMb: 1,
  });
  expect(words.join(" ")).toBe(
    "systemd-run --user --scope --quiet --collect -p MemoryMax=1315M -p MemorySwapMax=0 -p TasksMax=1024 --",
  );
});
