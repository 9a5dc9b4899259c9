/** A place in a text that contains a secret. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** `known`, or the kind of secret it looks like. */
  readonly kind: string;
  /** The secret itself, if the text contains it in another form. @default the text of the place */
  readonly secret?: string;
}
