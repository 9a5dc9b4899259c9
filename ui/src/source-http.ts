import type { ReportSource } from "../../src/report/model.ts";
import { ReportError } from "./report-error.ts";

const tokenKey = "whetstone-token";

/** The token of this tab: from the address on first opening, which then no longer shows it. */
export function takeToken(): string {
  const url = new URL(location.href);
  const given = url.searchParams.get("token");
  if (given === null) return sessionStorage.getItem(tokenKey) ?? "";
  sessionStorage.setItem(tokenKey, given);
  url.searchParams.delete("token");
  history.replaceState(null, "", url);
  return given;
}

/** Reads from the server that the page came from. */
export function httpSource(token: string): ReportSource {
  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    const response = await fetch(`/api/${path}`, { ...init, headers }).catch((error: unknown) => {
      if (init.signal?.aborted === true) throw error;
      throw new ReportError(
        "no-server",
        "The local server does not answer.",
        "Start `whetstone ui` again and open the address that it prints.",
      );
    });
    if (!response.ok) throw await readError(response);
    return response;
  }

  const read = async <T>(path: string): Promise<T> => (await (await ask(path)).json()) as T;
  const post = async <T = readonly string[]>(path: string, body: object): Promise<T> => {
    const headers = { "content-type": "application/json" };
    const response = await ask(path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as T;
  };
  const runPath = (id: string) => `runs/${encodeURIComponent(id)}`;
  const proposalPath = (id: string) => `proposals/${encodeURIComponent(id)}`;

  return {
    kind: "server",
    runs: () => read("runs"),
    run: (id) => read(runPath(id)),
    step: (id, step) => read(`${runPath(id)}/steps/${step}`),
    rollout: (id, ref) => read(`${runPath(id)}/rollouts?ref=${encodeURIComponent(ref)}`),
    watch(id, onEvent) {
      const stop = new AbortController();
      void follow(
        (after) => ask(`${runPath(id)}/events${after}`, { signal: stop.signal }),
        onEvent,
        stop.signal,
      );
      return () => stop.abort();
    },
    sleep: {
      nights: () => read("nights"),
      nightReport: (id) => read(`nights/${encodeURIComponent(id)}/report`),
    },
    offers: {
      proposals: () => read("proposals"),
      proposal: (id) => read(proposalPath(id)),
      decide: (id, decisions) => post(`${proposalPath(id)}/decide`, { decisions }),
      adopt: (id, options) => post(`${proposalPath(id)}/adopt`, options),
      reject: (id, options) => post(`${proposalPath(id)}/reject`, options),
      undo: (id) => post(`${proposalPath(id)}/undo`, {}),
    },
  };
}

/** Reads server-sent events until the run ends, and comes back when the connection breaks. */
async function follow(
  open: (after: string) => Promise<Response>,
  onEvent: Parameters<ReportSource["watch"]>[1],
  signal: AbortSignal,
): Promise<void> {
  // the first time only what happens from now on
  let after = "";
  let wait = 500;
  while (!signal.aborted) {
    try {
      const response = await open(after);
      for await (const data of eventData(response)) {
        const event = JSON.parse(data) as Parameters<typeof onEvent>[0];
        after = `?after=${event.seq}`;
        wait = 500;
        onEvent(event);
        if (event.type === "run-end") return;
      }
    } catch (error) {
      // what the server refuses it will refuse again
      if (error instanceof ReportError && error.code !== "no-server") return;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(2 * wait, 10_000);
  }
}

/** The `data` fields of a stream of server-sent events. */
async function* eventData(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    const frames = rest.split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const data = frame.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice(5)] : []));
      if (data.length > 0) yield data.join("\n");
    }
  }
}

async function readError(response: Response): Promise<ReportError> {
  const body = (await response.json().catch(() => ({}))) as Partial<Record<string, string>>;
  if (response.status === 401)
    return new ReportError(
      "no-token",
      "This page has no token for the local server.",
      "Open the address that `whetstone ui` printed in your terminal.",
    );
  return new ReportError(
    body["code"] ?? `http-${response.status}`,
    body["message"] ?? `The local server answered with ${response.status}.`,
    body["hint"] ?? "Look at the terminal in which `whetstone ui` runs.",
  );
}
