/** Why a request is refused: the text for the web app or a person, and the HTTP status. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 411 | 413 | 415 | 421 | 500;
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** The body of every refusal. */
export const refusalBody = ({ code, message, hint }: Refusal) => ({ code, message, hint });

export const notFound: Refusal = {
  status: 404,
  code: "not-found",
  message: "This address doesn't exist.",
  hint: "Start at the address that `whetstone ui` printed.",
};
