import { EnvHttpProxyAgent, type RequestInit as UndiciRequestInit, fetch } from "undici";

/**
 * Node's own fetch gives up after 300 s without headers, but a long answer sends none until it is finished. Here only
 * the caller's deadline counts. Proxies come from the given environment.
 */
export function createPatientFetch(
  env: Readonly<Record<string, string | undefined>>,
): typeof globalThis.fetch {
  const dispatcher = new EnvHttpProxyAgent({
    headersTimeout: 0,
    bodyTimeout: 0,
    // an empty string means no proxy: without it, the agent would read the process's own environment
    httpProxy: env["http_proxy"] ?? env["HTTP_PROXY"] ?? "",
    httpsProxy: env["https_proxy"] ?? env["HTTPS_PROXY"] ?? "",
    noProxy: env["no_proxy"] ?? env["NO_PROXY"] ?? "",
  });
  // following a redirect would take the key along and turn a call into a GET
  const redirect = (init: UndiciRequestInit) => (init.method === "POST" ? "manual" : init.redirect);
  const patient = (input: string, init: UndiciRequestInit) =>
    fetch(input, { ...init, redirect: redirect(init), dispatcher });
  // the same standard; only the type declarations differ
  return patient as unknown as typeof globalThis.fetch;
}
