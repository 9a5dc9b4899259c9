import { type AddressInfo, type Socket, connect, createServer } from "node:net";

/** Any port will do: only the box uses its inner network. */
export const bridgePort = 41_730;

/**
 * A command line that listens inside the box, forwards every connection to the socket, and runs the given command. It
 * only uses Node, so nothing but the sandbox has to be installed.
 */
export const bridgeCommand = (
  node: string,
  socket: string,
  command: readonly string[],
): readonly string[] => [node, "-e", bridgeScript, "--", String(bridgePort), socket, ...command];

const bridgeScript = `
const { connect, createServer } = require("node:net");
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const [port, socket, program, ...words] = process.argv.slice(1);
createServer({ allowHalfOpen: true }, (client) => {
  const server = connect({ path: socket, allowHalfOpen: true });
  client.pipe(server).pipe(client);
  client.on("error", () => server.destroy());
  server.on("error", () => client.destroy());
}).listen(Number(port), "127.0.0.1", () => {
  const child = spawn(program, words, { stdio: "inherit" });
  child.on("error", (error) => { console.error(error.message); process.exit(127); });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
});`;

export interface HostBridge extends AsyncDisposable {
  readonly port: number;
}

/** The same on the host, for boxes that share its network. */
export async function openHostBridge(socket: string): Promise<HostBridge> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ path: socket, allowHalfOpen: true });
    client.pipe(upstream).pipe(client);
    client.on("error", () => upstream.destroy());
    upstream.on("error", () => client.destroy());
    open.add(client).add(upstream);
    client.once("close", () => open.delete(client));
    upstream.once("close", () => open.delete(upstream));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const one of open) one.destroy();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}
