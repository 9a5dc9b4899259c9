// Runs one command in a box until it is killed: <workspace> <command…>
import { bubblewrapSandbox } from "../../src/adapters/sandboxes/bubblewrap.ts";

const [workspace = "", ...argv] = process.argv.slice(2);
await bubblewrapSandbox().run(
  {
    workspace,
    limits: { seconds: 60, memoryMb: 512, processes: 64, diskMb: 64 },
    command: () => ({ argv }),
  },
  new AbortController().signal,
);
