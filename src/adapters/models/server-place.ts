import type { ServerFault } from "../../core/errors.ts";

/** A server as a config names it, and how to change that setting. */
export interface ServerPlace {
  readonly provider: string;
  /** The model's name at the server. */
  readonly name: string;
  /** The given address, or the provider's own. */
  readonly baseURL: string;
  /** The path the provider's package adds to the address, such as `/v1`. */
  readonly added: string;
  /** Sent with every call, including the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** The variable that contains the key, or would. */
  readonly keyVariable: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A sentence that says how to give another address. */
  readonly giveAddress: (address: string) => string;
  readonly fetch: typeof globalThis.fetch;
}

export const hostOf = ({ baseURL }: Pick<ServerPlace, "baseURL">): string => new URL(baseURL).host;

/** The base for an operation's path, such as `/chat/completions`. */
export const baseOf = ({ baseURL, added }: ServerPlace): string => `${baseURL.replace(/\/+$/, "")}${added}`;

/** A fault in a server or on the way to it. */
export interface Diagnosis {
  /** Missing if only the next step is known. */
  readonly fault?: ServerFault;
  readonly sentence?: string;
  readonly hint?: string;
  /** `provider/model` that the server has, if it lacks the requested one. */
  readonly instead?: string;
}

/** A blank that only the user can fill in. */
export const anyAddress = "<address of an OpenAI-compatible API; with most servers it ends in /v1>";
