import type { Failure } from "./failure.ts";
import { type Diagnosis, type ServerPlace, hostOf } from "./server-place.ts";
import { request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { readPage } from "./read-page.ts";

/** Diagnoses a proxy that doesn't connect to the server, or doesn't answer. */
export async function findProxyFault(
  { message, codes }: Failure,
  place: ServerPlace,
  signal: AbortSignal,
): Promise<Diagnosis | undefined> {
  const proxy = proxyFor(place);
  if (proxy === undefined) return undefined;
  const [, status] = /Proxy response \((\d+)\)/.exec(message) ?? [];
  if (status !== undefined) {
    const answer = await askProxy(
      proxy.href,
      `${new URL(place.baseURL).hostname}:${portOf(new URL(place.baseURL))}`,
      signal,
    );
    return refusedOnTheWay(place, answer ?? { status: Number(status), words: "" });
  }
  if (!codes.includes("ECONNREFUSED") || !message.includes(`:${portOf(proxy)}`)) return undefined;
  return {
    fault: "proxy-refused",
    sentence: `the proxy ${proxy.host} doesn't answer (${message}).`,
    hint: aroundProxy(place),
  };
}

/** Includes the words of the refusal, because they say whom to ask. */
export function refusedOnTheWay(place: ServerPlace, { status, words }: ProxyAnswer): Diagnosis {
  const proxy = proxyFor(place);
  const who = proxy === undefined ? "something between here and the server" : `the proxy ${proxy.host}`;
  const said = words === "" ? "" : `: "${words}"`;
  return {
    fault: "proxy-refused",
    sentence: `${who} refuses to connect to ${hostOf(place)} (HTTP ${status})${said}.`,
    hint:
      proxy === undefined
        ? `Ask your network's administrator to allow ${hostOf(place)}, then run the same command again.`
        : aroundProxy(place),
  };
}

function aroundProxy(place: ServerPlace): string {
  const { baseURL, env } = place;
  const standing = env["no_proxy"] || env["NO_PROXY"];
  const hosts = [...(standing ? [standing] : []), new URL(baseURL).hostname].join(",");
  // if both are set, the lowercase name wins
  const name = env["no_proxy"] ? "no_proxy" : "NO_PROXY";
  return `export ${name}=${hosts} to bypass it, or ask its administrator to allow ${hostOf(place)}.`;
}

/** The proxy for calls to this server, chosen the way the HTTP client chooses it. */
function proxyFor({ baseURL, env }: ServerPlace): URL | undefined {
  const plain = env["http_proxy"] ?? env["HTTP_PROXY"];
  const secure = env["https_proxy"] ?? env["HTTPS_PROXY"];
  const proxy = (baseURL.startsWith("https:") ? secure : undefined) || plain;
  return proxy !== undefined && URL.canParse(proxy) ? new URL(proxy) : undefined;
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80");

interface ProxyAnswer {
  readonly status: number;
  /** The text of the page it sent, if any. */
  readonly words: string;
}

/** Asks a proxy to connect to a host, as every call does, and reads its answer, which the HTTP client would drop. */
function askProxy(proxy: string, host: string, signal: AbortSignal): Promise<ProxyAnswer | undefined> {
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
      // a page comes right away or not at all
      setTimeout(end, pageMs).unref();
    });
    asked.end();
  });
}

const [patienceMs, pageMs] = [5000, 300];
