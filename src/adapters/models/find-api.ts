import { type ServerPlace } from "./server-place.ts";

/** The API at an address: the models it lists, or its demand for a key. */
export interface Api {
  readonly base: string;
  /** Undefined if it only lists them for the right key. */
  readonly models: readonly string[] | undefined;
}

/** The time a server may take to list its models. */
const patienceMs = 5000;

/** Asks an address for its models, which is free everywhere; undefined if no API answers. */
export async function askApi(
  base: string,
  { headers, fetch }: Pick<ServerPlace, "headers" | "fetch">,
  signal: AbortSignal,
): Promise<Api | undefined> {
  try {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    const response = await fetch(`${base}/models`, { headers, signal: patience, redirect: "manual" });
    const body: unknown = await response.json();
    if (response.status === 401) return { base, models: undefined };
    const models = response.ok ? readModels(body) : undefined;
    return models && { base, models };
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** The API at the address itself, or at a path people often forget. */
export async function findApi(
  base: string,
  place: Pick<ServerPlace, "headers" | "fetch">,
  signal: AbortSignal,
): Promise<Api | undefined> {
  const found = await Promise.all([base, ...placesNear(base)].map((one) => askApi(one, place, signal)));
  const [here] = found;
  // a server that always wants a key reveals nothing about its paths
  const isLocked = here !== undefined && here.models === undefined;
  return found.find((api) => api?.models !== undefined) ?? (isLocked ? here : found.find(Boolean));
}

/** Most likely first. */
export function placesNear(base: string): readonly string[] {
  const { origin, pathname } = new URL(base);
  const path = pathname
    .replace(/\/+$/, "")
    .replace(/\/(?:chat\/completions|completions|responses|models)$/, "");
  const paths = [path, `${path}/v1`, "/v1", "/api/v1", "/openai/v1", "/api", path.replace(/\/v1$/, "")];
  return [...new Set(paths.map((one) => `${origin}${one}`))].filter((one) => one !== base);
}

/** `{ data: [{ id }] }` as OpenAI, `{ models: [{ name }] }` as Google and Ollama, or the bare list. */
function readModels(body: unknown): readonly string[] | undefined {
  const { data, models } = (body ?? {}) as { readonly data?: unknown; readonly models?: unknown };
  const isBare = Array.isArray(body) && body.length > 0;
  const rows = [data, models, isBare ? body : undefined].find((one) => Array.isArray(one)) as
    | readonly unknown[]
    | undefined;
  return rows?.flatMap((row) => {
    const { id, name } = (row ?? {}) as { readonly id?: unknown; readonly name?: unknown };
    return [id, name].filter((one) => typeof one === "string").slice(0, 1);
  });
}
