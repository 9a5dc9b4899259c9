import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ScriptedReply } from "../../src/testing/index.ts";

/** What Gemini CLI asks, as far as it is needed here. */
interface GeminiRequest {
  readonly contents?: readonly {
    readonly role?: string;
    readonly parts?: readonly { readonly text?: string; readonly functionResponse?: object }[];
  }[];
  readonly tools?: readonly object[];
}

export interface GeminiServer extends AsyncDisposable {
  readonly url: string;
}

/** A server of Google's protocol on loopback: `reply` is given the last thing that was said, and whether a tool said it. */
export async function startGeminiServer(
  reply: (said: string, isTool: boolean, hasTools: boolean) => ScriptedReply,
): Promise<GeminiServer> {
  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await textOf(request)) as GeminiRequest;
    if (request.url?.includes(":countTokens")) return void response.end(JSON.stringify({ totalTokens: 10 }));
    const last = body.contents?.at(-1)?.parts ?? [];
    const isTool = last.some(({ functionResponse }) => functionResponse !== undefined);
    const answer = reply(
      last.map(({ text, functionResponse = "" }) => text ?? JSON.stringify(functionResponse)).join("\n"),
      isTool,
      (body.tools ?? []).length > 0,
    );
    const parts = [
      ...(answer.text === "" ? [] : [{ text: answer.text }]),
      ...(answer.toolCalls ?? []).map(({ name, arguments: args }) => ({ functionCall: { name, args } })),
    ];
    const message = JSON.stringify({
      candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: "scripted",
    });
    const isStream = request.url?.includes(":streamGenerateContent") === true;
    response.setHeader("content-type", isStream ? "text/event-stream" : "application/json");
    response.end(isStream ? `data: ${message}\n\n` : message);
  };
  const server = createServer((request, response) => void answerTo(request, response));
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((done) => void server.close(() => done())),
  };
}

async function textOf(request: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
