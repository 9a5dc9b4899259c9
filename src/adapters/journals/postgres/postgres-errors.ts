import { WhetstoneError } from "../../../core/errors.ts";
import { journalWrite, runLocked } from "../journal-errors.ts";

/** The server or connection failed: a retry may work (https://www.postgresql.org/docs/current/errcodes-appendix.html) */
export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code)) return /^08|^57P0[123]|^53300|^40/.test(code);
  return (
    (code !== undefined && unreachableCodes.has(code)) ||
    /^(Connection terminated|Client has encountered a connection error|Query read timeout|timeout exceeded when trying to connect)/.test(
      textOf(error),
    )
  );
}

const unreachableCodes = new Set(
  "ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH EAI_AGAIN".split(" "),
);

/** Rows are missing or changed. */
export function postgresDamaged(place: string, what: string, cause?: unknown): WhetstoneError {
  return new WhetstoneError("journal-damaged", `The journal in ${place} is damaged: ${what}.`, {
    hint: "Restore the database from its last backup. You only pay again for work done since then.",
    cause,
  });
}

/** Results were dropped between a lookup and the record of it, and can't be brought back. */
export const resultDropped = (place: string, cause?: unknown): WhetstoneError =>
  journalWrite(
    place,
    "`whetstone runs gc` dropped a result before its use was recorded",
    "Run the same command again: it uses the result if it exists by then, or makes the call again.",
    cause,
  );

/** The keys of results dropped before `append` could record their use; undefined for any other error. */
export function droppedKeys(error: unknown): readonly string[] | undefined {
  const cause = error instanceof WhetstoneError ? error.cause : undefined;
  if (!(cause instanceof Error) || codeOf(cause) !== "WS002") return undefined;
  return [...new Set(cause.message.split(" "))];
}

/** Gives every PostgreSQL and network error a code, a sentence and a next step. */
export function translatePostgresError(error: unknown, place: string): WhetstoneError {
  if (error instanceof WhetstoneError) return error;
  const code = codeOf(error) ?? "";
  const text = textOf(error);
  // raised by `append`, with the run as its message
  if (code === "WS001") return runLocked(text);
  if (code === "WS002") return resultDropped(place, error);
  if (code === "3D000") {
    return new WhetstoneError("not-found", `The database ${place} doesn't exist.`, {
      hint: "Create it with `createdb`, or correct the address.",
      cause: error,
    });
  }
  if (code === "53100")
    return journalWrite(place, "the server's disk is full", `Free some space there. ${goOn}`, error);
  if (code.startsWith("28"))
    return journalWrite(
      place,
      text,
      "Correct the user and password, in the address, in PGPASSWORD or in ~/.pgpass.",
      error,
    );
  if (code === "42501" || code === "25006")
    return journalWrite(
      place,
      text,
      "Make the user the database's owner, or grant the missing privilege.",
      error,
    );
  if (code === "XX001" || code === "XX002" || code === "42P01" || code === "42883" || code === "3F000") {
    return postgresDamaged(place, `PostgreSQL reports "${text}"`, error);
  }
  if (isUnreachable(error))
    return journalWrite(place, `can't reach the server (${text})`, `Start it. ${goOn}`, error);
  if (code === "ENOTFOUND") return journalWrite(place, text, "Correct the host name.", error);
  return journalWrite(place, text, `See the server's log for more. ${goOn}`, error);
}

const goOn = "Then run the same command again: everything recorded so far is kept.";

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

// an AggregateError for several addresses has no message of its own
const textOf = (error: unknown): string =>
  error instanceof Error ? error.message || codeOf(error) || error.name : String(error);
