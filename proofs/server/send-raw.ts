import { connect } from "node:net";

export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
  readonly headers: string;
  readonly body: string;
  readonly ms: number;
}

/** Sends these very bytes over a connection of its own, and reads until it is closed, or for `waitMs`. */
export function sendRaw(
  port: number,
  bytes: string,
  { waitMs = 2000, host = "127.0.0.1" }: { readonly waitMs?: number; readonly host?: string } = {},
): Promise<RawAnswer> {
  const started = performance.now();
  return new Promise((resolve) => {
    const socket = connect(port, host, () => socket.write(bytes, "latin1"));
    let answer = "";
    let isClosed = false;
    const end = () => {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      socket.destroy();
      const [head = "", ...rest] = answer.split("\r\n\r\n");
      resolve({
        status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
        headers: head,
        body: rest.join("\r\n\r\n"),
        ms: performance.now() - started,
      });
    };
    const timer = setTimeout(end, waitMs);
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
    });
    socket.on("close", end);
    socket.on("error", end);
  });
}

/** The bytes of a request; a header of undefined is left out. */
export function requestText({
  method = "GET",
  target,
  headers,
  body = "",
}: {
  readonly method?: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string | undefined])[];
  readonly body?: string;
}): string {
  const lines = headers.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return [`${method} ${target} HTTP/1.1`, ...lines, "Connection: close", "", body].join("\r\n");
}
