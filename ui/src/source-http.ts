import type { ReportSource } from "../../src/report/model.ts";
import { ReportError } from "./report-error.ts";

const tokenKey = "whetstone-token";

/** This tab's token: from the address on first opening, which then drops it. */
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
    const response = await fetch(`/api/${path}`, { ...init, headers }).catch(() => {
      throw new ReportError(
        "no-server",
        "The local server isn't responding.",
        "Start `whetstone ui` again and open the address it prints.",
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

async function readError(response: Response): Promise<ReportError> {
  const body = (await response.json().catch(() => ({}))) as Partial<Record<string, string>>;
  if (response.status === 401)
    return new ReportError(
      "no-token",
      "This page doesn't have a token for the local server.",
      "Open the address that `whetstone ui` printed in your terminal.",
    );
  return new ReportError(
    body["code"] ?? `http-${response.status}`,
    body["message"] ?? `The local server answered with ${response.status}.`,
    body["hint"] ?? "Check the terminal where `whetstone ui` is running.",
  );
}
