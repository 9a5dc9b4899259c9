import type { ComponentChildren } from "preact";
import { ReportError } from "../report-error.ts";
import type { Load } from "../load.ts";

/** A message for an empty or broken page, with the next step. */
export function Message({
  title,
  children,
  isError = false,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly isError?: boolean;
}) {
  return (
    <div class={isError ? "message error" : "message"} role={isError ? "alert" : undefined}>
      <h1>{title}</h1>
      <p>{children}</p>
    </div>
  );
}

/** The three states of something that loads. */
export function Loaded<T>({
  load,
  what,
  children,
}: {
  readonly load: Load<T>;
  /** The thing that loads, for the sentence: "the run". */
  readonly what: string;
  readonly children: (value: T) => ComponentChildren;
}) {
  if (load.state === "ready") return <>{children(load.value)}</>;
  if (load.state === "loading")
    return (
      <p class="loading" role="status">
        Loading {what} …
      </p>
    );
  const { message, hint } = describe(load.error);
  return (
    <Message title={message} isError>
      {hint}
    </Message>
  );
}

export function describe(error: unknown): { readonly message: string; readonly hint: string } {
  if (error instanceof ReportError) return { message: error.message, hint: error.hint };
  return {
    message: "This page couldn't be shown.",
    hint: `${error instanceof Error ? error.message : String(error)} Reload the page. If that doesn't help, please report it.`,
  };
}
