/** An error that the page shows, with the next step. */
export class ReportError extends Error {
  static {
    this.prototype.name = "ReportError";
  }
  readonly code: string;
  readonly hint: string;
  constructor(code: string, message: string, hint: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
