import { noPowers } from "./no-powers.ts";
import { type ChatWorld, seededRandom } from "../../src/testing/index.ts";

/** Requests about as many different things, so that none is taken for another. */
export const commitRequests: readonly string[] = [
  "the basket forgets its items after a login",
  "dates of invoices in the customer's own time zone",
  "a spinner while the payment page loads",
  "remove the old newsletter banner",
  "translate the footer into Portuguese",
  "upgrade the image resizer to its third version",
  "a retry when the warehouse feed times out",
  "round discounts half to even",
  "show delivery slots for islands",
  "let screen readers announce the coupon field",
  "split the checkout controller into smaller modules",
  "cache product thumbnails at the edge",
  "log failed refunds with their cause",
  "a keyboard shortcut that opens search",
  "delete orphaned wish lists weekly",
  "validate phone numbers from Iceland",
  "print gift notes on a second sheet",
  "move the sitemap generator to a worker",
  "warn about low stock in the admin list",
  "rename the loyalty table without downtime",
].map((change) => `Write the commit message for this: ${change}.`);

/** The rule that helps; nothing of any task is in it. */
export const ticketRule =
  "End every commit message with a line that names the ticket: the word Ticket, a colon and the key.";

export interface SleepWorldOptions {
  readonly seed: number;
  /** Whether tasks are scored by a rubric, or else by a check. @default false */
  readonly judged?: boolean;
  /** How often a message has its ticket without the rule. @default 0.2 */
  readonly luck?: number;
  /** How the person's wish is worded; all that they say is one. @default not at all */
  readonly wording?: string | ((prompt: string) => string);
}

/** What any model would be asked in a night, whoever asks. */
export interface Asked {
  readonly system: string;
  readonly prompt: string;
  /** Names the draw. */
  readonly key: string;
}

export type SleepRole = "canary" | "miner" | "optimizer" | "judge" | "target";

/** A shop whose commits name their ticket, which nobody has told the agent. */
export function sleepWorld({ seed, judged = false, luck = 0.2, wording }: SleepWorldOptions) {
  const answers: Readonly<Record<SleepRole, (asked: Asked) => string>> = {
    canary: () => "ok",
    miner: ({ prompt, system }) =>
      system.endsWith("Contract: group_wishes")
        ? JSON.stringify(oneWish(prompt))
        : system.endsWith("Contract: check_wordings")
          ? JSON.stringify({ rules: [{ rule: 1, carries: "yes", own: "yes" }] })
          : JSON.stringify({ tasks: findTasks(prompt, judged) }),
    optimizer: ({ prompt, system }) => {
      if (system.endsWith("Contract: powers")) return JSON.stringify(noPowers(prompt));
      // what the person says there makes no rule by itself; what their tasks show does
      return system.endsWith("Contract: word_wishes")
        ? JSON.stringify({
            wishes:
              wording === undefined
                ? []
                : [{ wish: 1, rule: typeof wording === "string" ? wording : wording(prompt), already: "" }],
          })
        : JSON.stringify({ reasoning: "", failure_summary: [], edits: [editFor(prompt)] });
    },
    judge: ({ prompt }) => {
      const isMet = namesTicket(between(prompt, "answer"));
      return JSON.stringify({ reason: isMet ? "It names it." : "It does not.", score: isMet ? 1 : 0 });
    },
    target: ({ system, prompt, key }) => {
      const isTold = `${system}\n${prompt}`.includes(ticketRule);
      const isLucky = seededRandom("sleep-world", seed, key)() < luck;
      return `Change what was asked for\n\nIt does what it says.${isTold || isLucky ? "\n\nTicket: SHOP-12" : ""}`;
    },
  };
  return { answer: (asked: Asked): string => answers[roleOf(asked)](asked) };
}

export function roleOf({ system, prompt }: Pick<Asked, "system" | "prompt">): SleepRole {
  const contract = /^Contract: ([a-z_]+)$/m.exec(system)?.[1];
  if (prompt.startsWith("Reply with the word ok.")) return "canary";
  if (contract === undefined) return "target";
  return contract === "mine" || contract === "group_wishes" || contract === "check_wordings"
    ? "miner"
    : contract.startsWith("judge")
      ? "judge"
      : "optimizer";
}

/** The world behind the scripted server. */
export function servedWorld(options: SleepWorldOptions): ChatWorld {
  const world = sleepWorld(options);
  return {
    reply: ({ system, messages, key }) => ({
      text: world.answer({ system, prompt: messages.map(({ content }) => content).join("\n\n"), key }),
    }),
  };
}

function findTasks(conversation: string, judged: boolean): readonly object[] {
  return commitRequests
    .filter((request) => conversation.includes(request))
    .map((request) => ({
      kind: "correction",
      intent: request,
      context: "",
      checks: judged ? [] : [{ kind: "regex", value: "Ticket: [A-Z]+-[0-9]+", negate: false }],
      rubric: judged ? "The message says where it was asked for." : "",
      outcome: "failed",
      evidence: [request, /^\[turn 2, the person\]\n(.+)$/m.exec(conversation)?.[1] ?? ""],
      scope: "project",
      stated: "",
      paraphrases: [],
    }));
}

function oneWish(prompt: string): object {
  const sentences = [...prompt.matchAll(/^sentence (\d+):/gm)].map(([, number]) => Number(number));
  return { groups: [{ sentences, wish: /^wish 1:/m.test(prompt) ? 1 : null }], same: [] };
}

function editFor(prompt: string): object {
  // the tasks that it was shown, and those that others have named
  const evidence = [...new Set(prompt.match(/\bm-[0-9a-f]{12}\b/g))];
  return { op: "append", content: ticketRule, evidence };
}

const namesTicket = (message: string): boolean => /^Ticket: [A-Z]+-\d+$/m.test(message);

const between = (prompt: string, word: string): string =>
  new RegExp(`^BEGIN ${word} ([0-9a-f]{16})\n([\\s\\S]*?)\nEND ${word} \\1$`, "m").exec(prompt)?.[2] ?? "";
