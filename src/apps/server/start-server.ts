import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { JournalPlace } from "../../adapters/journals/open-journal.ts";
import { WhetstoneError } from "../../core/errors.ts";
import { bearerOf, createApi, usedCode } from "./api.ts";
import { findRefusal, isChange } from "./find-refusal.ts";
import { createHandOver } from "./hand-over.ts";
import { limitStrangers } from "./limit-strangers.ts";
import { localReports } from "./local-reports.ts";
import { peerUser } from "./peer-user.ts";
import { type Refusal, refusalBody } from "./refusal.ts";
import { securityHeaders } from "./security-headers.ts";
import { createToken } from "./token.ts";

export interface ServerOptions extends JournalPlace {
  /** The web app, one file of HTML. */
  readonly page: string;
  /** @default any free one */
  readonly port?: number;
  /** Why the page is read-only, as the end of a sentence. */
  readonly viewOnly?: string | undefined;
  /** Called with errors that shouldn't happen. */
  readonly onError?: (error: unknown) => void;
}

export interface LocalServer extends AsyncDisposable {
  /** Contains the token, which lets its holder read every run and adopt. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** For a browser's arguments, which others can read: works once, within a minute. */
  openingUrl(): string;
  /** Closes at once, also open connections. */
  close(): Promise<void>;
}

/** The longest that a request may take to arrive. */
const requestMs = 10_000;

/** Serves the web app and its data on this machine, to the one person who knows the token. */
export async function startServer({
  page,
  port = 0,
  viewOnly,
  onError,
  ...place
}: ServerOptions): Promise<LocalServer> {
  const token = createToken();
  const reports = localReports(place);
  const handOver = createHandOver();
  const api = createApi({ reports, page, token, handOver, viewOnly, onError });
  const answer = getRequestListener(api.fetch, { overrideGlobalObjects: false });
  const server = createServer({
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    keepAliveTimeout: 5000,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: 16_384,
  });
  server.maxConnections = 1024;
  limitStrangers(server, ({ headers }) => token.matches(bearerOf(headers.authorization) ?? ""));
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    throw portRefused(port, error);
  });
  const address = server.address() as AddressInfo;
  server.on("request", (incoming, outgoing) => {
    for (const [name, value] of Object.entries(securityHeaders)) outgoing.setHeader(name, value);
    const refusal = findRefusal(incoming, address.port) ?? findOtherUser(incoming);
    if (refusal === undefined) void answer(incoming, outgoing);
    else refuse(incoming, outgoing, refusal);
  });
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await reports.close();
  };
  const root = `http://127.0.0.1:${address.port}/`;
  return {
    url: `${root}?token=${token.text}`,
    openingUrl: () => `${root}?code=${handOver.code()}`,
    port: address.port,
    token: token.text,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Another user's program may read the browser's arguments and use the code first. */
function findOtherUser({ url = "", socket }: IncomingMessage): Refusal | undefined {
  if (!url.startsWith("/?code=")) return undefined;
  const user = peerUser(socket);
  return user === undefined || user === process.getuid?.() ? undefined : usedCode;
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse, refusal: Refusal): void {
  if (refusal.status === 405) outgoing.setHeader("allow", isChange(incoming.url ?? "") ? "POST" : "GET");
  // don't read the rest of the request
  outgoing.setHeader("connection", "close");
  outgoing.setHeader("content-type", "application/json");
  outgoing.statusCode = refusal.status;
  outgoing.end(JSON.stringify(refusalBody(refusal)));
}

function portRefused(port: number, error: NodeJS.ErrnoException): WhetstoneError {
  const why = error.code === "EADDRINUSE" ? "is in use" : `can't be opened (${error.code ?? error.message})`;
  return new WhetstoneError("usage", `Port ${port} ${why}.`, {
    hint: "Omit --port to use a free port, or choose another.",
    cause: error,
  });
}
