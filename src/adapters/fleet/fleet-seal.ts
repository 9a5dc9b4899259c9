import { readObject } from "../../core/json.ts";
import { createHmac, timingSafeEqual } from "node:crypto";

/** A text, and the proof that somebody who knows the fleet's secret wrote it. */
export interface SealedText {
  readonly text: string;
  readonly mac: string;
}

/** What the text is: one that was sealed as something else proves nothing. */
export type SealedKind = "settings" | "job" | "outcome" | "event";

/**
 * Redis is a place where anybody who can write there may have written. Whatever is more than a hint is sealed as text, so
 * that it is known to be ours before it is parsed.
 */
export interface FleetSeal {
  seal(kind: SealedKind, text: string): SealedText;
  /** The text; undefined when it was not sealed as this kind with the same secret. */
  open(kind: SealedKind, sealed: unknown): string | undefined;
}

export function fleetSeal(secret: string): FleetSeal {
  const macOf = (kind: SealedKind, text: string): string =>
    createHmac("sha256", secret).update(`whetstone fleet 1 ${kind}\n`).update(text).digest("base64url");
  return {
    seal: (kind, text) => ({ text, mac: macOf(kind, text) }),
    open(kind, sealed) {
      if (!isSealed(sealed)) return undefined;
      const [given, right] = [Buffer.from(sealed.mac), Buffer.from(macOf(kind, sealed.text))];
      return given.length === right.length && timingSafeEqual(given, right) ? sealed.text : undefined;
    },
  };
}

/** The same for one that is JSON itself. */
export const openText = (seal: FleetSeal, kind: SealedKind, json: string): string | undefined =>
  seal.open(kind, readObject(json));

function isSealed(value: unknown): value is SealedText {
  if (typeof value !== "object" || value === null) return false;
  const { text, mac } = value as Partial<Record<keyof SealedText, unknown>>;
  return typeof text === "string" && typeof mac === "string";
}
