import { expect, test } from "vitest";
import { bubblewrapSandbox } from "./bubblewrap.ts";
import { containerSandbox } from "./container.ts";
import { controlledHere } from "./control-group.ts";
import { noSandbox } from "./no-sandbox.ts";
import { canHoldDisk } from "./own-volume.ts";
import { sayLimits } from "./say-limits.ts";

test("each limit is named once, as held or as watched", async () => {
  expect(await sayLimits(noSandbox())).toBe("only watched: memory, processes, disk");
  expect(await sayLimits(containerSandbox({ program: "docker", env: {} }))).toBe(
    "enforced by the kernel: memory, processes; only watched: disk",
  );
});

test("what bubblewrap says is what was tried here, and a scope holds memory and processes", async () => {
  const disk = (await canHoldDisk()) ? ["disk"] : [];
  const held = (await bubblewrapSandbox().heldByKernel?.()) ?? [];
  expect(held).toEqual(expect.arrayContaining([...controlledHere(), ...disk]));
  const inScope = bubblewrapSandbox({ scope: () => ["systemd-run"] });
  expect(await inScope.heldByKernel?.()).toEqual(["memory", "processes", ...disk]);
});
