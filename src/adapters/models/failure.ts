import { readPage } from "./read-page.ts";

/** The facts in a model call's error, whichever SDK version threw it. */
export interface Failure {
  /** The HTTP status, or the one in a body sent with 200; undefined if no answer arrived. */
  readonly status: number | undefined;
  /** The error was in an answer that HTTP called a success. */
  readonly insideSuccess: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** The provider's message, code and type. */
  readonly said: string;
  readonly message: string;
  /** The address called, if the SDK reports it. */
  readonly url: string | undefined;
  /** The text of a web page or plain text sent instead of JSON; undefined if none was sent. */
  readonly page: string | undefined;
  /** A complete body that no model server would send. A body that starts as JSON but doesn't end as JSON was cut off. */
  readonly isForeign: boolean;
  /** System error codes along the chain of causes. */
  readonly codes: readonly string[];
  /** Names of the errors along the chain of causes. */
  readonly names: readonly string[];
}

export function readFailure(error: unknown): Failure {
  const chain = causes(error);
  const answered = chain.find((link) => typeof link["statusCode"] === "number");
  const body = parseBody(answered?.["responseBody"]);
  const http = typeof answered?.["statusCode"] === "number" ? answered["statusCode"] : undefined;
  // the OpenAI SDK reports a failed Responses answer as a 400 that carries the parsed body
  const insideSuccess =
    http !== undefined && (http < 300 || typeof answered?.["responseBody"] === "object") && body.error;
  return {
    status: insideSuccess ? (body.status ?? http) : http,
    insideSuccess,
    headers: readHeaders(answered?.["responseHeaders"]),
    said: body.said,
    message: describe(chain, answered, body),
    url: chain.flatMap(({ url }) => (typeof url === "string" ? [url] : []))[0],
    page: body.page,
    isForeign: body.isForeign,
    codes: chain.flatMap((link) => (typeof link["code"] === "string" ? [link["code"]] : [])),
    names: chain.flatMap((link) => (typeof link["name"] === "string" ? [link["name"]] : [])),
  };
}

type Link = Readonly<Record<string, unknown>>;

function causes(error: unknown): readonly Link[] {
  const chain: Link[] = [];
  let current = error;
  while (isRecord(current) && chain.length < 8) {
    chain.push(current);
    current = current["cause"] ?? current["lastError"];
  }
  return chain.length > 0 ? chain : [{ message: String(error) }];
}

interface Body {
  readonly error: boolean;
  readonly status: number | undefined;
  readonly message: string;
  readonly said: string;
  readonly page: string | undefined;
  readonly isForeign: boolean;
}

function parseBody(raw: unknown): Body {
  let parsed = raw;
  if (typeof raw === "string") {
    try {
      parsed = JSON.parse(raw);
    } catch {
      const said = raw.slice(0, 2000);
      const isForeign = raw.trim() !== "" && !/^\s*(?:[[{]|data:)/.test(raw);
      const page = isForeign ? readPage(raw) : undefined;
      return { error: false, status: undefined, message: "", said, page, isForeign };
    }
  }
  const outer = Array.isArray(parsed) ? parsed[0] : parsed;
  const error = isRecord(outer) && outer["error"] != null ? outer["error"] : undefined;
  const fields = isRecord(error) ? error : isRecord(outer) ? outer : {};
  const message = [fields["message"], fields["detail"], error].find((text) => typeof text === "string") ?? "";
  const details = fields["details"] === undefined ? "" : JSON.stringify(fields["details"]).slice(0, 2000);
  const marks = ["message", "detail", "code", "type", "status", "reason"].flatMap((name) =>
    words(fields[name]),
  );
  const said = [...marks, ...(typeof error === "string" ? [error] : []), details].join("\n");
  const isForeign = parsed !== undefined && !(isRecord(outer) && answerFields.some((name) => name in outer));
  return { error: error !== undefined, status: statusIn(fields), message, said, page: undefined, isForeign };
}

/** Each of these occurs in an answer or error from OpenAI, Anthropic or Google. */
const answerFields = ["choices", "output", "content", "candidates", "error"];

function statusIn(fields: Link): number | undefined {
  const code = Number(fields["code"] ?? fields["status"]);
  if (code >= 400 && code < 600) return code;
  const name = [fields["code"], fields["type"]].flatMap(words).join(" ");
  if (/rate_limit/.test(name)) return 429;
  if (/overloaded/.test(name)) return 529;
  return /server_error|timeout/.test(name) ? 500 : undefined;
}

function describe(chain: readonly Link[], answered: Link | undefined, body: Body): string {
  const texts = [
    ...(answered === undefined ? [] : [`HTTP ${String(answered["statusCode"])}`]),
    ...(body.message === "" ? chain.flatMap((link) => words(link["message"])) : [body.message]),
    ...(body.page ? [`"${body.page}"`] : []),
  ];
  let sentence = "";
  for (const text of texts.map((text) => text.replace(/\s+/g, " ").trim())) {
    if (!sentence.includes(text)) sentence += sentence === "" ? text : `: ${text}`;
  }
  return sentence;
}

function readHeaders(value: unknown): Readonly<Record<string, string>> {
  const headers = Object.entries(isRecord(value) ? value : {});
  return Object.fromEntries(headers.map(([name, text]) => [name.toLowerCase(), String(text)]));
}

const words = (value: unknown): readonly string[] =>
  typeof value === "string" || typeof value === "number" ? [String(value)] : [];

const isRecord = (value: unknown): value is Link => typeof value === "object" && value !== null;
