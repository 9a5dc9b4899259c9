// Runs the proof in a process that was started with strangers' descriptors open.
import { proveWithStrays } from "./prove-with-strays.ts";
import type { Strays } from "./strays.ts";

const send = (message: object): Promise<void> =>
  new Promise((resolve) => void process.send?.(message, () => resolve()));

// whoever started us is gone
process.once("disconnect", () => process.exit(1));
const strays = await new Promise<Strays>((resolve) => void process.once("message", resolve));
await send({ result: await proveWithStrays(strays, (line) => void send({ log: line })) });
process.exit(0);
