import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WhetstoneError } from "../../core/errors.ts";
import { printable } from "./printable.ts";

export interface Confirmation {
  /** What the person is to decide on, all of it: what does not fit into a form is not asked. */
  readonly message: string;
  /** The box that they tick. */
  readonly yes: string;
  /** What they can type in a terminal instead. */
  readonly command: string;
  /** What shows it there, for a message that can be too long. */
  readonly look?: string;
}

/** The characters that a form has room for. */
const most = 6000;

/** A person reads before they answer. */
const patienceMs = 20 * 60_000;

/** Asks by elicitation: the client shows a form to its person, and the model does not see it. */
export async function confirm(
  server: Pick<Server, "elicitInput" | "getClientCapabilities">,
  { message, yes, command, look }: Confirmation,
  signal: AbortSignal,
): Promise<void> {
  if (!canAsk(server)) throw notConfirmed("This client has no way to ask you", command);
  const shown = printable(message, Number.POSITIVE_INFINITY);
  // who sees the beginning would say yes to the rest
  if (shown.length > most)
    throw notConfirmed(
      `This is too long for a form (${shown.length} characters, and ${most} fit)`,
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
  throw notConfirmed(asked === undefined ? "No answer came" : "You did not confirm it", command);
}

export const canAsk = (server: Pick<Server, "getClientCapabilities">): boolean =>
  server.getClientCapabilities()?.elicitation?.form !== undefined;

const notConfirmed = (why: string, command: string): WhetstoneError =>
  new WhetstoneError("not-confirmed", `${why}, so nothing was done.`, {
    hint: `Only a person can do this. In a terminal, in this folder, they can type: ${command}`,
  });
