import { type Refusal, notFound } from "./refusal.ts";

/** What of a request is looked at before anything is done for it. */
export interface RequestHead {
  readonly method?: string;
  /** The target as it stood in the request line. */
  readonly url?: string;
  /** Every value of every header, by its name in small letters. */
  readonly headersDistinct: Readonly<Record<string, readonly string[] | undefined>>;
}

/** The longest body: a few flags, or the words of rules. */
const maxBodyBytes = 65_536;

/**
 * Only this machine's own page gets through: a page of another site may make the browser send requests here, and by
 * DNS rebinding even under a name of its own, but it can not forge these headers. Undefined: nothing is wrong.
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

/** A header that decides must come once: two readers could take two different values. */
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
      message: `This server answers only as ${hosts.join(" or ")}.`,
      hint: "Open the address that `whetstone ui` printed, on the same machine.",
    };
  }
  const isOwn = origin === undefined || origin === `http://${host}`;
  // `same-site` is another port of this machine: not this page either
  if (isOwn && (site === undefined || site === "same-origin" || site === "none")) return undefined;
  return {
    status: 403,
    code: "foreign-origin",
    message: "Only this server's own page may ask it.",
    hint: "Copy the address that `whetstone ui` printed into the address bar.",
  };
}

/** Nothing that would have to be decoded stands in a path of ours, so nothing is ever decoded. */
function findStrangeTarget({ url = "" }: RequestHead): Refusal | undefined {
  return /^\/(?!\/)[\w/-]*(?:\?[\u0021-\u007E]*)?$/.test(url) ? undefined : notFound;
}

const changing = /^\/api\/(?:runs\/[\w-]+\/(?:adopt|undo)|proposals\/[\w-]+\/(?:decide|adopt|reject|undo))$/;

export const isChange = (url: string): boolean => changing.test(url);

function findWrongMethod({ method, url = "" }: RequestHead): Refusal | undefined {
  const wanted = isChange(url) ? "POST" : "GET";
  if (method === wanted) return undefined;
  return { status: 405, code: "wrong-method", message: `This address takes ${wanted} alone.` };
}

function findWrongBody(request: RequestHead): Refusal | undefined {
  const [length, type] = ["content-length", "content-type"].map((name) => headerOf(request, name));
  const isChunked = headerOf(request, "transfer-encoding") !== undefined;
  if (request.method === "GET") {
    if (!isChunked && (length === undefined || length === "0")) return undefined;
    return { status: 400, code: "body-refused", message: "A question here has no body." };
  }
  if (isChunked || length === undefined)
    return { status: 411, code: "length-missing", message: "The body must come with its length." };
  if (Number(length) > maxBodyBytes)
    return { status: 413, code: "body-too-large", message: `The body is larger than ${maxBodyBytes} bytes.` };
  // a form of another site can send three content types without asking first, and this is none of them
  if (type === undefined || !/^application\/json(?:; ?charset=utf-8)?$/i.test(type))
    return { status: 415, code: "not-json", message: "The body must be application/json." };
  return undefined;
}

const headerOf = ({ headersDistinct }: RequestHead, name: string): string | undefined =>
  headersDistinct[name]?.[0];
