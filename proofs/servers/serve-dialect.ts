import { type IncomingMessage, type RequestListener, type ServerResponse, createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { localCertificate } from "../../test/support/local-certificate.ts";
import type { Dialect, Said } from "./dialects.ts";

export interface DialectServer extends AsyncDisposable {
  /** Without a path. */
  readonly origin: string;
  readonly port: number;
  /** Models that were loaded since it began. */
  readonly loaded: Set<string>;
  /** Answers of the next calls, before everything else. */
  readonly first: Said[];
  /** Begins to listen, where it did not from the start. */
  listen(): Promise<void>;
}

export interface DialectOptions {
  /** Who answers the calls that go well. */
  readonly behind: string;
  readonly isSecure?: boolean;
  /** Nobody listens at first. */
  readonly isOff?: boolean;
  /** Models at the start. @default both */
  readonly models?: readonly string[];
}

/** A server that speaks as its kind does, and passes what is right on to the scripted one. */
export async function serveDialect(dialect: Dialect, options: DialectOptions): Promise<DialectServer> {
  const loaded = new Set(options.models ?? [dialect.small, dialect.large]);
  const first: Said[] = [];
  const answer: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => void handle(request, response, Buffer.concat(chunks).toString()));
  };
  const server =
    options.isSecure === true ? createSecureServer(localCertificate, answer) : createServer(answer);

  async function handle(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    const { method = "", url = "" } = request;
    const [path = ""] = url.split("?", 1);
    const below = path.startsWith(dialect.prefix) ? path.slice(dialect.prefix.length) : "";
    if (!["GET /models", "POST /chat/completions"].includes(`${method} ${below}`))
      return say(response, dialect.nothingThere(method, path));
    const { authorization, "api-key": apiKey } = request.headers;
    if (dialect.key !== undefined && apiKey !== dialect.key && authorization !== `Bearer ${dialect.key}`)
      return say(response, dialect.keyRefused);
    if (below === "/models") return say(response, { status: 200, body: dialect.list([...loaded]) });
    const body = JSON.parse(text) as ChatBody;
    const refusal = loaded.has(body.model) ? undefined : dialect.missing?.(body.model);
    const said = first.shift() ?? refusal;
    if (said !== undefined) return say(response, said);
    const passed = await fetch(`${options.behind}/v1/chat/completions`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "idempotency-key": String(request.headers["idempotency-key"]),
      },
      body: JSON.stringify({ ...body, model: isOptimizer(body) ? "optimizer" : "target" }),
    });
    say(response, { status: passed.status, body: (await passed.json()) as object });
  }

  const listen = (port = 0) =>
    new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", () => resolve()));
  await listen();
  const { port } = server.address() as AddressInfo;
  if (options.isOff === true) await new Promise((resolve) => void server.close(resolve));
  return {
    origin: `${options.isSecure === true ? "https" : "http"}://127.0.0.1:${port}`,
    port,
    loaded,
    first,
    listen: () => listen(port),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

interface ChatBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** By what it is asked, not by the name of the model: one may play both parts. */
const isOptimizer = ({ messages }: ChatBody): boolean =>
  messages.some(({ role, content }) => role === "system" && JSON.stringify(content).includes("JSON"));

function say(response: ServerResponse, { status, body }: Said): void {
  const isText = typeof body === "string";
  const type = !isText ? "application/json" : body.startsWith("<") ? "text/html" : "text/plain";
  response.writeHead(status, { "content-type": type });
  response.end(isText ? body : JSON.stringify(body));
}
