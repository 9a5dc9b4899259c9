/** Takes secrets out of texts. */
export interface Redactor {
  /** Throws rather than let a text through that it could not look at. Equal secrets get equal placeholders. */
  redact(text: string): Promise<Redacted>;
}

export interface Redacted {
  readonly text: string;
  /** One for each place, in order. */
  readonly found: readonly Found[];
}

export interface Found {
  /** `known`, or what it looks like: `github`, `assignment`, `uri`, `entropy`, … */
  readonly kind: string;
  /** What stands in its place: `«SECRET:github:1»`. */
  readonly placeholder: string;
}
