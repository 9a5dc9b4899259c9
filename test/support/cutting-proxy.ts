import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface CuttingProxy {
  readonly port: number;
  /** Whether new connections are refused; those that are there stay. */
  isClosed: boolean;
  /** The next time a client sends this text, the server gets it and the connection breaks before the answer. */
  cutAfter: string | undefined;
  /** How often that happened. */
  readonly cuts: number;
  end(): Promise<void>;
}

/** A way to a server that breaks where the client cannot know whether its last words arrived. */
export async function cuttingProxy(serverPort: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    if (proxy.isClosed) return client.destroy();
    const server = connect(serverPort, "127.0.0.1");
    let isCut = false;
    const cut = () => {
      client.destroy();
      server.destroy();
      sockets.delete(client);
      sockets.delete(server);
    };
    for (const socket of [client, server]) sockets.add(socket.on("error", cut).on("close", cut));
    client.on("data", (bytes) => {
      isCut = proxy.cutAfter !== undefined && bytes.includes(proxy.cutAfter);
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (!isCut) return client.write(bytes);
      proxy.cutAfter = undefined;
      proxy.cuts += 1;
      return cut();
    });
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const proxy = {
    port: address.port,
    isClosed: false,
    cutAfter: undefined as string | undefined,
    cuts: 0,
    end: async () => {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, "close");
    },
  };
  return proxy;
}
