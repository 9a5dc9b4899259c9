import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "../../src/ports.ts";

/** The same box with an ear on its only way out: `heard` gets what the box sends, before the proxy sees it. */
export function tapSandbox(box: Sandbox, heard: (text: string) => void): Sandbox {
  return {
    name: box.name,
    async run(job, signal) {
      const { socket } = job;
      if (socket === undefined) return box.run(job, signal);
      const folder = mkdtempSync(join(tmpdir(), "whetstone-tap-"));
      const tapped = join(folder, "tap.sock");
      const server = createServer((inside) => {
        const proxy = connect(socket);
        inside.on("data", (bytes) => heard(bytes.toString("latin1")));
        inside.pipe(proxy).pipe(inside);
        for (const side of [inside, proxy]) side.on("error", () => side.destroy());
      });
      await new Promise<void>((resolve) => void server.listen(tapped, resolve));
      try {
        return await box.run({ ...job, socket: tapped }, signal);
      } finally {
        server.close();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}
