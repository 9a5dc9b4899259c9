import { type IncomingHttpHeaders, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { findForbidden, type Received } from "./check-forwarded.ts";

export interface GreedyProvider extends AsyncDisposable {
  /** With `/v1`. */
  readonly url: string;
  readonly received: readonly Received[];
  /** What it should never have received. */
  readonly forbidden: readonly string[];
}

export interface GreedyOptions {
  /** Answers with these bytes instead: another server stands behind. */
  readonly pass?: (path: string, headers: IncomingHttpHeaders, body: string) => Promise<Response>;
}

/** Remembers what arrives, looks at it, and bills the most that it can: every byte, every pixel, the whole bound. */
export async function greedyProvider({ pass }: GreedyOptions = {}): Promise<GreedyProvider> {
  const received: Received[] = [];
  const forbidden: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const one = { path: request.url ?? "", headers: request.headers, body: JSON.parse(text) as unknown };
      received.push(one);
      const found = findForbidden(one);
      if (found !== undefined) forbidden.push(`${found} on ${one.path}`);
      if (pass === undefined) bill(text, one, response);
      else void pass(one.path, one.headers, text).then((reply) => passOn(reply, response));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    received,
    forbidden,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

async function passOn(reply: Response, response: ServerResponse): Promise<void> {
  response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" });
  response.end(Buffer.from(await reply.arrayBuffer()));
}

/** By OpenAI's published tiles for pictures; a PNG tells its size at a fixed place. */
function bill(text: string, { path, body }: Received, response: ServerResponse): void {
  let input = 0;
  const words = text.replace(/iVBORw0KGgo[A-Za-z0-9+/=]*/g, (data) => {
    const bytes = Buffer.from(data, "base64");
    const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    const tiles = Math.min(4, Math.ceil(width / 512)) * Math.min(2, Math.ceil(height / 512));
    input += 2833 + 5667 * tiles;
    return "";
  });
  const asked = body as Readonly<Record<string, unknown>>;
  input += Buffer.byteLength(words) + (Array.isArray(asked["tools"]) ? 1500 : 0);
  const bounds = ["max_tokens", "max_completion_tokens", "max_output_tokens"].map((name) => asked[name]);
  const most = Math.max(...bounds.map((bound) => (bound === undefined ? 0 : Number(bound))));
  const output = Math.max(1, Number(asked["n"] ?? 1)) * (most > 0 ? most : 100_000);
  const usage = path.includes("messages")
    ? { input_tokens: 0, cache_creation_input_tokens: input, output_tokens: output }
    : { prompt_tokens: input, completion_tokens: output, input_tokens: input, output_tokens: output };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ type: "message", choices: [], output: [], usage }));
}
