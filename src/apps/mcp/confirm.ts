import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WhetstoneError } from "../../core/errors.ts";
import { printable } from "./printable.ts";

export interface Confirmation {
  /** Everything the person decides about, in full. If it doesn't fit into a form, the person isn't asked. */
  readonly message: string;
  /** The label of the checkbox. */
  readonly yes: string;
  /** The command they can type in a terminal instead. */
  readonly command: string;
  /** A command that shows the message in a terminal, if it can be too long. */
  readonly look?: string;
}

/** The most characters that a form shows. */
const most = 6000;

/** How long to wait for an answer: people read first. */
const patienceMs = 20 * 60_000;

/** Asks by elicitation: the client shows its person a form that the model doesn't see. */
export async function confirm(
  server: Pick<Server, "elicitInput" | "getClientCapabilities">,
  { message, yes, command, look }: Confirmation,
  signal: AbortSignal,
): Promise<void> {
  if (!canAsk(server)) throw notConfirmed("This client can't ask you", command);
  const shown = printable(message, Number.POSITIVE_INFINITY);
  // a person who only sees the start would say yes to the rest too
  if (shown.length > most)
    throw notConfirmed(
      `This is too long for a form (${shown.length} characters, at most ${most} fit)`,
      look === undefined ? command : `${look}, then ${command}`,
    );
  const asked = await server
    .elicitInput(
      {
        mode: "form",
        message: shown,
        requestedSchema: {
          type: "object",
          properties: { confirm: { type: "boolean", title: printable(yes, 200), default: false } },
          required: ["confirm"],
        },
      },
      { signal, timeout: patienceMs },
    )
    .catch(() => undefined);
  if (asked?.action === "accept" && asked.content?.["confirm"] === true) return;
  throw notConfirmed(asked === undefined ? "No answer came" : "You didn't confirm it", command);
}

export const canAsk = (server: Pick<Server, "getClientCapabilities">): boolean =>
  server.getClientCapabilities()?.elicitation?.form !== undefined;

const notConfirmed = (why: string, command: string): WhetstoneError =>
  new WhetstoneError("not-confirmed", `${why}, so nothing was done.`, {
    hint: `Only a person can do this. In a terminal, in this folder, they can type: ${command}`,
  });
