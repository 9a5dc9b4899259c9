import { AsyncLocalStorage } from "node:async_hooks";
import { WhetstoneError } from "../core/errors.ts";
import { configFlags } from "./config-flags.ts";

const typed = new AsyncLocalStorage<true>();

/** Runs a typed command, so hints inside it name flags. Any other caller is a program, and hints name options. */
export const asTyped = <T>(body: () => T): T => typed.run(true, body);

/** Turns a hint, which is written with flags, into the caller's terms. */
export const forCaller = (hint: string): string => (typed.getStore() === true ? hint : inCode(hint));

/** Does the same for an error's hint. */
export function errorForCaller(error: unknown): unknown {
  if (!(error instanceof WhetstoneError) || error.hint === undefined) return error;
  const { code, message, hint, cause } = error;
  const said = forCaller(hint);
  if (said === hint) return error;
  const options = cause === undefined ? { hint: said } : { hint: said, cause };
  // a program prints the whole error, so we keep its origin and repeat nothing
  return Object.defineProperty(new WhetstoneError(code, message, options), "stack", { value: error.stack });
}

/** `--spend-calls 2000` becomes `spend: { calls: 2000 }`. A command line in backticks stays as it is. */
export const inCode = (hint: string): string =>
  hint
    .split(/(`whetstone [^`]*`)/)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll(flagInText, spellOption)))
    .join("");

// the punctuation that ends a sentence isn't part of a value
const flagInText = /(`?)--([a-z][a-z-]*)(?:[ =]("[^"]*"|[^\s`]*[^\s`,;:.)]))?\1/g;

function spellOption(whole: string, _tick: string, name: string, value?: string): string {
  const found = configFlags.find(({ flag }) => flag.split(" ", 1)[0] === `--${name}`);
  if (found === undefined) return whole;
  const isSwitch = !found.flag.includes("<");
  // the word after a flag may simply continue the sentence
  const isNext = value !== undefined && /^[a-z]+$/.test(value) && found.values?.includes(value) !== true;
  const rest = value !== undefined && (isSwitch || isNext) ? ` ${value}` : "";
  if (!isSwitch && (value === undefined || isNext)) return `\`${found.path}\`${rest}`;
  const written = isSwitch ? String(!name.startsWith("no-")) : spellValue(found, value ?? "");
  const [key = "", inner] = found.path.split(".");
  return `\`${key}: ${inner === undefined ? written : `{ ${inner}: ${written} }`}\`${rest}`;
}

function spellValue({ path, repeats }: (typeof configFlags)[number], value: string): string {
  if (path === "prices") return `{ "${value.split("=", 1)[0]}": { input: <in>, output: <out> } }`;
  const spell = (text: string) => (/^[\d.]+$/.test(text) ? text : JSON.stringify(text));
  const bare = value.replaceAll(/^"|"$/g, "");
  return repeats ? `[${bare.split(",").map(spell).join(", ")}]` : spell(bare);
}
