// Runs one command in a box until it is killed: <workspace> <command…>
import { chooseSandbox } from "../../src/ports.ts";

const [workspace = "", ...argv] = process.argv.slice(2);
const sandbox = await chooseSandbox("bubblewrap", { env: process.env });
await sandbox.run(
  {
    workspace,
    limits: { seconds: 60, memoryMb: 512, processes: 64, diskMb: 64 },
    command: () => ({ argv }),
  },
  new AbortController().signal,
);
