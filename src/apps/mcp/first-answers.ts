import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import table from "./first-answers.json" with { type: "json" };

/** Ids of requests answered before the server was loaded. It reads them too, but doesn't answer them again. */
export const answered = new Set<unknown>();

/** How long to wait for a client's next message. */
const patienceMs = 300;

/**
 * Answers a client's first two requests as the server would, before the server is loaded: agents only offer the tools
 * of servers that answer at once. Puts the input back for the server. Returns false if the client has left.
 */
export async function answerFirst(version: string): Promise<boolean> {
  const { stdin, stdout } = process;
  const kept: Buffer[] = [];
  const answer = (id: unknown, result: object) =>
    stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  for (let isDone = false; !isDone; ) {
    const line = await nextLine(answered.size > 0);
    if (line === undefined) return !stdin.readableEnded;
    const { id, method, params } = readMessage(line);
    if (method === "initialize") {
      const { protocols, ...result } = table.initialize;
      const asked = protocols.find((one) => one === params?.protocolVersion) ?? protocols[0];
      answered.add(id);
      answer(id, { protocolVersion: asked, ...result, serverInfo: { name: "whetstone", version } });
    }
    isDone = method !== "initialize" && method !== "notifications/initialized";
    if (method === "tools/list") answer(id, { tools: table.tools });
    else kept.push(line);
  }
  stdin.unshift(Buffer.concat(kept));
  return true;

  /** The next line with its line end; undefined if nothing more comes, or not in time. */
  async function nextLine(isHurried: boolean): Promise<Buffer | undefined> {
    let read = Buffer.alloc(0);
    for (;;) {
      const chunk = stdin.read() as Buffer | null;
      if (chunk !== null) {
        read = Buffer.concat([read, chunk]);
        const end = read.indexOf("\n") + 1;
        if (end > 0 && end < read.length) stdin.unshift(read.subarray(end));
        if (end > 0) return read.subarray(0, end);
        continue;
      }
      if (stdin.readableEnded) return undefined;
      if (await hears(isHurried)) continue;
      stdin.unshift(Buffer.concat([...kept, read]));
      return undefined;
    }
  }
}

/** Whether more input or its end came in time. */
async function hears(isHurried: boolean): Promise<boolean> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const signs = ["readable", "end"].map((name) => once(process.stdin, name, { signal }));
  const more = Promise.race(signs).then(() => true);
  const late = isHurried ? setTimeout(patienceMs, false, { signal }) : new Promise<never>(() => {});
  const result = await Promise.race([more, late]);
  for (const sign of signs) sign.catch(() => undefined);
  waiting.abort();
  return result;
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly protocolVersion?: unknown };
}

function readMessage(line: Buffer): Message {
  try {
    return JSON.parse(line.toString()) ?? {};
  } catch {
    return {};
  }
}
