import { StringDecoder } from "node:string_decoder";
import { withoutColours } from "../../core/one-line.ts";
import { toTerminal } from "../../show/format.ts";

/** The part of a stream that is guarded. */
export interface Outlet {
  write(chunk: string | Uint8Array, ...rest: unknown[]): boolean;
}

/**
 * Makes everything that this process writes to the stream printable, including a config's `console.log`, libraries and
 * threads. Returns a writer for text that is already printable and may contain control sequences of our own. With
 * `elsewhere`, text from others goes there.
 */
export function guardStream(
  stream: Outlet,
  elsewhere: () => Outlet | undefined = () => undefined,
): (text: string) => void {
  const write = stream.write.bind(stream);
  const decoder = new StringDecoder("utf8");
  stream.write = (chunk, ...rest) => {
    const text = typeof chunk === "string" ? chunk : decoder.write(Buffer.from(chunk));
    const done = rest.find((each) => typeof each === "function");
    const other = elsewhere();
    if (other !== undefined) return other.write(text, ...(done === undefined ? [] : [done]));
    return write(toTerminal(withoutColours(text)), ...(done === undefined ? [] : [done]));
  };
  return (text) => void write(text);
}
