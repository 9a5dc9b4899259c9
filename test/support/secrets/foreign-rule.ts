/** One rule of somebody else's scanner, read from a checkout of it. */
export interface ForeignRule {
  readonly id: string;
  /** Undefined where it could not be read. */
  readonly pattern: string | undefined;
  readonly anyCase: boolean;
  /** Words one of which must stand near: the rule finds nothing by form alone. */
  readonly keywords: readonly string[];
  /** Its own lower bound, in bits to a character. */
  readonly entropy: number;
}
