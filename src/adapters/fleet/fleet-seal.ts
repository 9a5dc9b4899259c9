import { readObject } from "../../core/json.ts";
import { createHmac, timingSafeEqual } from "node:crypto";

/** A text, and the proof that it was written by somebody who knows the fleet's secret. */
export interface SealedText {
  readonly text: string;
  readonly mac: string;
}

/** The kind of text: a seal for another kind proves nothing. */
export type SealedKind = "settings" | "job" | "outcome" | "event";

/**
 * Anyone with write access to Redis may have written there. Everything that is more than a hint is sealed as text, so
 * that we know it is ours before we parse it.
 */
export interface FleetSeal {
  seal(kind: SealedKind, text: string): SealedText;
  /** The text; undefined if it wasn't sealed as this kind with the same secret. */
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

/** The same for text that is itself JSON. */
export const openText = (seal: FleetSeal, kind: SealedKind, json: string): string | undefined =>
  seal.open(kind, readObject(json));

function isSealed(value: unknown): value is SealedText {
  if (typeof value !== "object" || value === null) return false;
  const { text, mac } = value as Partial<Record<keyof SealedText, unknown>>;
  return typeof text === "string" && typeof mac === "string";
}
