import { EnvHttpProxyAgent, type RequestInit as UndiciRequestInit, fetch } from "undici";

/**
 * Node's own fetch gives up after 300 s without headers, and a long answer sends none before it is
 * finished. Here only the caller's deadline counts. Proxies are those of the given environment.
 */
export function createPatientFetch(
  env: Readonly<Record<string, string | undefined>>,
): typeof globalThis.fetch {
  const dispatcher = new EnvHttpProxyAgent({
    headersTimeout: 0,
    bodyTimeout: 0,
    // an empty text means none: left out, the agent would read the process's own environment
    httpProxy: env["http_proxy"] ?? env["HTTP_PROXY"] ?? "",
    httpsProxy: env["https_proxy"] ?? env["HTTPS_PROXY"] ?? "",
    noProxy: env["no_proxy"] ?? env["NO_PROXY"] ?? "",
  });
  // a call that is sent on would take its key along, and become a GET
  const redirect = (init: UndiciRequestInit) => (init.method === "POST" ? "manual" : init.redirect);
  const patient = (input: string, init: UndiciRequestInit) =>
    fetch(input, { ...init, redirect: redirect(init), dispatcher });
  // the same standard; only the type declarations of the two differ
  return patient as unknown as typeof globalThis.fetch;
}
