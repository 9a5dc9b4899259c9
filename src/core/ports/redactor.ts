/** Removes secrets from texts. */
export interface Redactor {
  /** Throws if it can't scan a text, rather than let it through. Equal secrets get equal placeholders. */
  redact(text: string): Promise<Redacted>;
}

export interface Redacted {
  readonly text: string;
  /** One for each secret found, in order. */
  readonly found: readonly Found[];
}

export interface Found {
  /** `known`, or the kind it looks like: `github`, `assignment`, `uri`, `entropy`, … */
  readonly kind: string;
  /** Its replacement: `«SECRET:github:1»`. */
  readonly placeholder: string;
}
