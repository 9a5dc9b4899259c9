import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { ModelProxy } from "../../src/adapters/sandboxes/model-proxy.ts";

/** A hundred bodies that never end, from another process: how many MiB this one grows by, at most. */
export async function floodBodies(proxy: ModelProxy): Promise<number> {
  const before = process.memoryUsage().rss;
  const script = `
    const { connect } = require("node:net");
    const piece = Buffer.alloc(1 << 20, 32);
    const heads = ["content-length: 8000000", "content-length: 33000000", "transfer-encoding: chunked"];
    for (let at = 0; at < 100; at += 1) {
      const stream = connect(process.argv[1], () => {
        const isChunked = at % 3 === 2;
        stream.write("POST /v1/messages HTTP/1.1\\r\\nhost: localhost\\r\\n" + heads[at % 3] + "\\r\\n\\r\\n");
        const data = isChunked ? Buffer.concat([Buffer.from("100000\\r\\n"), piece, Buffer.from("\\r\\n")]) : piece;
        let left = isChunked ? 1000 : at % 3 === 0 ? 7 : 31;
        const more = () => { if (left-- > 0) stream.write(data, more); };
        more();
      });
      stream.on("error", () => {});
    }`;
  const child = spawn(process.execPath, ["-e", script, proxy.socket], { stdio: "ignore" });
  let most = before;
  for (let at = 0; at < 30; at += 1) {
    await sleep(100);
    most = Math.max(most, process.memoryUsage().rss);
  }
  child.kill("SIGKILL");
  return Math.round((most - before) / 2 ** 20);
}
