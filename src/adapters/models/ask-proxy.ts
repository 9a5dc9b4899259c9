import { request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { readPage } from "./read-page.ts";

export interface ProxyAnswer {
  readonly status: number;
  /** Of the page that it sent, if it sent one. */
  readonly words: string;
}

/** Asks a proxy for a way to a host, as every call does, and reads what it says: the client that makes calls drops it. */
export function askProxy(proxy: string, host: string, signal: AbortSignal): Promise<ProxyAnswer | undefined> {
  const { protocol, username, password, origin } = new URL(proxy);
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString(
    "base64",
  );
  const send = protocol === "https:" ? overHttps : overHttp;
  return new Promise((resolve) => {
    const asked = send(origin, {
      method: "CONNECT",
      path: host,
      headers: { host, ...(username === "" ? {} : { "proxy-authorization": `Basic ${login}` }) },
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
    });
    asked.once("error", () => resolve(undefined));
    asked.once("connect", ({ statusCode: status = 0 }, socket, head: Buffer) => {
      let text = head.toString();
      const end = () => {
        socket.destroy();
        resolve({ status, words: readPage(text) });
      };
      if (status === 200) return end();
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      socket.once("error", end);
      socket.once("close", end);
      // a page comes at once or not at all
      setTimeout(end, pageMs).unref();
    });
    asked.end();
  });
}

const [patienceMs, pageMs] = [5000, 300];
