import { type Refusal, notFound } from "./refusal.ts";

/** The parts of a request that are checked before anything is done. */
export interface RequestHead {
  readonly method?: string;
  /** The target, as in the request line. */
  readonly url?: string;
  /** Every value of every header, by its lowercase name. */
  readonly headersDistinct: Readonly<Record<string, readonly string[] | undefined>>;
}

/** The longest body: a few flags, or the words of rules. */
const maxBodyBytes = 65_536;

/**
 * Only lets this server's own page through. Another site's page can make the browser send requests here, by DNS rebinding
 * even under its own name, but it can't forge these headers. Undefined if nothing is wrong.
 */
export function findRefusal(request: RequestHead, port: number): Refusal | undefined {
  return (
    findRepeated(request) ??
    findForeign(request, port) ??
    findStrangeTarget(request) ??
    findWrongMethod(request) ??
    findWrongBody(request)
  );
}

const decisive = ["host", "origin", "authorization", "content-type", "content-length", "sec-fetch-site"];

/** A decisive header must occur only once, or two readers could use different values. */
function findRepeated({ headersDistinct }: RequestHead): Refusal | undefined {
  const repeated = decisive.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
  if (repeated === undefined) return undefined;
  return {
    status: 400,
    code: "repeated-header",
    message: `The request has more than one ${repeated} header.`,
  };
}

function findForeign(request: RequestHead, port: number): Refusal | undefined {
  const [host, origin, site] = ["host", "origin", "sec-fetch-site"].map((name) => headerOf(request, name));
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (host === undefined || !hosts.includes(host)) {
    return {
      status: 421,
      code: "foreign-host",
      message: `This server only answers at ${hosts.join(" or ")}.`,
      hint: "Open the address that `whetstone ui` printed, on the same machine.",
    };
  }
  const isOwn = origin === undefined || origin === `http://${host}`;
  // `same-site` is another port of this machine, so it isn't this page either
  if (isOwn && (site === undefined || site === "same-origin" || site === "none")) return undefined;
  return {
    status: 403,
    code: "foreign-origin",
    message: "This server only answers its own page.",
    hint: "Copy the address that `whetstone ui` printed into the address bar.",
  };
}

/** Our paths never need decoding, so nothing is ever decoded. */
function findStrangeTarget({ url = "" }: RequestHead): Refusal | undefined {
  return /^\/(?!\/)[\w/-]*(?:\?[\u0021-\u007E]*)?$/.test(url) ? undefined : notFound;
}

const changing = /^\/api\/(?:runs\/[\w-]+\/(?:adopt|undo)|proposals\/[\w-]+\/(?:decide|adopt|reject|undo))$/;

export const isChange = (url: string): boolean => changing.test(url);

function findWrongMethod({ method, url = "" }: RequestHead): Refusal | undefined {
  const wanted = isChange(url) ? "POST" : "GET";
  if (method === wanted) return undefined;
  return { status: 405, code: "wrong-method", message: `This address only accepts ${wanted}.` };
}

function findWrongBody(request: RequestHead): Refusal | undefined {
  const [length, type] = ["content-length", "content-type"].map((name) => headerOf(request, name));
  const isChunked = headerOf(request, "transfer-encoding") !== undefined;
  if (request.method === "GET") {
    if (!isChunked && (length === undefined || length === "0")) return undefined;
    return { status: 400, code: "body-refused", message: "GET requests can't have a body." };
  }
  if (isChunked || length === undefined)
    return { status: 411, code: "length-missing", message: "The request must have a Content-Length header." };
  if (Number(length) > maxBodyBytes)
    return { status: 413, code: "body-too-large", message: `The body is larger than ${maxBodyBytes} bytes.` };
  // another site's form can send three content types without a preflight request, but not this one
  if (type === undefined || !/^application\/json(?:; ?charset=utf-8)?$/i.test(type))
    return { status: 415, code: "not-json", message: "The body must be application/json." };
  return undefined;
}

const headerOf = ({ headersDistinct }: RequestHead, name: string): string | undefined =>
  headersDistinct[name]?.[0];
