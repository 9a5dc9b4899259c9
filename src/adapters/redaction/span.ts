/** A place in a text that holds a secret. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** `known`, or what it looks like. */
  readonly kind: string;
  /** The secret itself when the text holds it in another form. @default the text of the place */
  readonly secret?: string;
}
