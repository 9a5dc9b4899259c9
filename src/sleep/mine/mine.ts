import type { Context } from "../../core/context.ts";
import type { Place } from "../../core/place.ts";
import { mine } from "../../core/prompts/mine.ts";
import { unusableReplies } from "../../core/measure/check-replies.ts";
import { askWithReason } from "../../core/stages/ask-model.ts";
import { timed } from "../../core/stages/timed.ts";
import { trimMiddle } from "../../core/trim.ts";
import type { ReplyProblem } from "../../core/unusable-reply.ts";
import { mostTries } from "../memory/harvested.ts";
import { type Heard, checkMined, hintsIn } from "./check-mined.ts";
import { conversationText } from "./conversation-text.ts";
import type { Digest } from "../../core/ports/conversation.ts";
import type { MinedTask } from "../../core/ports/mined-task.ts";

export interface MineOptions {
  /** The project's own command that verifies work; from its config. */
  readonly verify?: string;
  /** How often earlier nights got no usable reply, by the id of a conversation. @default never */
  readonly tries?: ReadonlyMap<string, number>;
}

export interface Mined {
  readonly tasks: readonly MinedTask[];
  /** The person's sentences without a task. */
  readonly heard: readonly Heard[];
  readonly dropped: readonly DroppedFind[];
}

/** A find that was dropped or changed. */
export interface DroppedFind {
  readonly conversation: string;
  /** The shortened request; empty for the whole conversation. */
  readonly what: string;
  /** A sentence. */
  readonly reason: string;
}

/** The finds of all conversations of a night. */
export interface MinedAll extends Mined {
  /** Ids of conversations without a usable reply. Another night asks again. */
  readonly failed: readonly string[];
}

interface MinedOnce extends Mined {
  /** Why the miner's reply was unusable. */
  readonly unusable?: ReplyProblem;
}

/**
 * Mines conversations for tasks with one call each, in parallel, in the order of the conversations. If no reply is usable, the
 * run stops, and the next start asks again. If that doesn't help either, the run goes on without these conversations, so that
 * they don't block every later night.
 */
export async function mineConversations(
  digests: readonly Digest[],
  options: MineOptions,
  context: Context,
): Promise<MinedAll> {
  const found = await timed(
    "mine",
    0,
    digests.length,
    () => Promise.all(digests.map((digest) => mineConversation(digest, options, context))),
    context,
  );
  const unusable = found.flatMap((one) => one.unusable ?? []);
  if (
    unusable.length > 0 &&
    unusable.length === digests.filter(isTyped).length &&
    !(await hasStopped(context))
  )
    throw unusableReplies("miner", unusable, unusable.length, context);
  return {
    tasks: found.flatMap(({ tasks }) => tasks),
    heard: found.flatMap(({ heard }) => heard),
    dropped: found.flatMap(({ dropped }) => dropped),
    failed: found.flatMap(({ unusable }, at) => (unusable === undefined ? [] : (digests[at]?.id ?? []))),
  };
}

const isTyped = ({ turns }: Digest): boolean => turns.some(({ prompt }) => prompt.trim() !== "");

async function hasStopped({ journal, run }: Context): Promise<boolean> {
  for await (const { body } of journal.read({ run, kinds: ["event"], names: ["run-end"] }))
    if (body["code"] === "replies-unusable") return true;
  return false;
}

/**
 * Finds up to five tasks in one conversation. Without a usable reply, it finds none and gives a reason. After the last try,
 * corrections that a program finds count as said.
 */
export async function mineConversation(
  digest: Digest,
  options: MineOptions,
  context: Context,
): Promise<MinedOnce> {
  const whole = (reason: string): Mined => ({
    tasks: [],
    heard: [],
    dropped: [{ conversation: digest.id, what: "", reason }],
  });
  if (!isTyped(digest)) return whole("Nobody typed anything in it.");
  const place: Place = { role: "miner", step: 0, stage: "mine" };
  const tried = options.tries?.get(digest.id) ?? 0;
  const reply = await askWithReason(mine, conversationText(digest), place, anotherTry(tried, context));
  if (!reply.ok) {
    const heard = tried + 1 < mostTries ? [] : hintsIn(digest);
    return { ...whole("The miner gave no usable reply."), heard, unusable: reply.problem };
  }
  if (standsIn(digest, reply.value.secret)) return whole(setAside);
  const tasks: MinedTask[] = [];
  const heard: Heard[] = [];
  const dropped: DroppedFind[] = [];
  for (const found of reply.value.tasks.slice(0, maxTasks)) {
    const hasAgent = context.agent !== undefined;
    const isDrawn = context.rehearsal !== undefined;
    const {
      task,
      heard: words,
      reasons,
    } = await checkMined(found, digest, { ...options, hasAgent, isDrawn });
    const what = trimMiddle(found.intent, 200);
    dropped.push(...reasons.map((reason) => ({ conversation: digest.id, what, reason })));
    if (task !== undefined && tasks.every((other) => other.task.id !== task.task.id)) tasks.push(task);
    if (words !== undefined) heard.push(words);
  }
  return { tasks, heard, dropped };
}

/** Makes a repeated question a new one, because the journal already has the old reply. */
const anotherTry = (tried: number, context: Context): Context =>
  tried === 0
    ? context
    : {
        ...context,
        settings: {
          ...context.settings,
          fresh: [context.settings.fresh, `try ${tried + 1}`].join(" ").trim(),
        },
      };

const maxTasks = 5;

/** Why a conversation is skipped: the miner saw a secret that the redactor missed. */
export const setAside = "The miner saw a password or key in it, so it was set aside.";

/** Whether the quoted secret occurs in the conversation; a miner may also answer "none". */
const standsIn = ({ turns }: Digest, secret: string): boolean =>
  secret.length >= 4 &&
  !secret.includes("«SECRET:") &&
  turns.some(({ prompt, answer }) => prompt.includes(secret) || answer.includes(secret));
