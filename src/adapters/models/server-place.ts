import type { ServerFault } from "../../core/errors.ts";

/** A server as a config names it, and how a person would change what is written there. */
export interface ServerPlace {
  readonly provider: string;
  /** The model's name at the server. */
  readonly name: string;
  /** The address as it was given, or the provider's own. */
  readonly baseURL: string;
  /** What the provider's package adds to the address by itself, such as `/v1`. */
  readonly added: string;
  /** Sent with every call, the key among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The variable that holds the key, or would. */
  readonly keyVariable: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A sentence: how another address is given. */
  readonly giveAddress: (address: string) => string;
  readonly fetch: typeof globalThis.fetch;
}

export const hostOf = ({ baseURL }: Pick<ServerPlace, "baseURL">): string => new URL(baseURL).host;

/** What the path of an operation, such as `/chat/completions`, is added to. */
export const baseOf = ({ baseURL, added }: ServerPlace): string => `${baseURL.replace(/\/+$/, "")}${added}`;

/** What is wrong with a server or with the way to it. */
export interface Diagnosis {
  /** Missing where only the next step is known. */
  readonly fault?: ServerFault;
  readonly sentence?: string;
  readonly hint?: string;
  /** `provider/model` that the server has, where it has not the one that was asked for. */
  readonly instead?: string;
}

/** Where nobody but the person can know it. */
export const anyAddress = "<address of an OpenAI-compatible API; with most servers it ends in /v1>";
