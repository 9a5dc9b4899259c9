import { type Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { z } from "zod";
import type { LocalReports } from "./local-reports.ts";
import { type Refusal, notFound, refusalBody } from "./refusal.ts";
import { refuseError } from "./refuse-error.ts";
import { pagePolicy } from "./security-headers.ts";
import { streamEvents } from "./stream-events.ts";
import type { Token } from "./token.ts";

export interface ApiOptions {
  readonly reports: LocalReports;
  /** The web app, one file of HTML. */
  readonly page: string;
  readonly token: Token;
  /** Told of errors that should not happen. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const pollMs = 250;
const heartbeatMs = 10_000;

/** A run's id as part of an address. It is looked up among the runs of the journal, never made into a path. */
const id = ":id{[A-Za-z0-9][A-Za-z0-9_-]*}";

/** What the web app asks for, and the app itself. Only requests that `findRefusal` let through arrive here. */
export function createApi({ reports, page, token, onError }: ApiOptions): Hono {
  const app = new Hono();
  const policy = pagePolicy(page);

  // the page holds no data: it may be loaded again after it has taken the token out of the address
  app.get("/", (context) => {
    const offered = context.req.query("token");
    if (offered !== undefined && !token.matches(offered)) return refuse(context, wrongToken);
    return context.html(page, 200, { "content-security-policy": policy });
  });
  app.use("/api/*", async (context, next) => {
    const [, offered] = /^Bearer ([\w-]+)$/.exec(context.req.header("authorization") ?? "") ?? [];
    return offered !== undefined && token.matches(offered) ? next() : refuse(context, wrongToken);
  });

  app.get("/api/runs", async () => json(await reports.runs()));
  app.get(`/api/runs/${id}`, async ({ req }) => json(await reports.run(req.param("id"))));
  app.get(`/api/runs/${id}/steps/:step{[0-9]{1,6}}`, async ({ req }) =>
    json(await reports.step(req.param("id"), Number(req.param("step")))),
  );
  app.get(`/api/runs/${id}/rollouts`, async ({ req }) =>
    json(await reports.rollout(req.param("id"), req.query("ref") ?? "")),
  );
  app.get(`/api/runs/${id}/events`, async (context) => {
    const run = context.req.param("id");
    const after = context.req.query("after");
    if (after !== undefined && !/^\d{1,15}$/.test(after)) return refuse(context, wrongNumber);
    const journal = await reports.openJournal(run);
    const plan = { run, after: after === undefined ? undefined : Number(after), pollMs, heartbeatMs };
    const response = streamSSE(context, async (stream) => {
      try {
        await streamEvents(stream, journal, plan);
      } catch (error) {
        // the reader sees the stream end and comes back; what is wrong is said in the terminal
        if (!stream.aborted) onError?.(error);
      } finally {
        await journal.close();
      }
    });
    response.headers.set("cache-control", "no-store");
    return response;
  });
  app.post(`/api/runs/${id}/adopt`, async (context) => {
    const body = await readBody(context, adoptBody);
    return body === undefined
      ? refuse(context, wrongBody)
      : json(await reports.adopt(context.req.param("id"), body));
  });
  app.post(`/api/runs/${id}/undo`, async (context) => {
    const body = await readBody(context, undoBody);
    return body === undefined
      ? refuse(context, wrongBody)
      : json(await reports.undo(context.req.param("id")));
  });

  app.notFound((context) => refuse(context, notFound));
  app.onError((error, context) => {
    const refusal = refuseError(error);
    if (refusal.status === 500) onError?.(error);
    return refuse(context, refusal);
  });
  return app;
}

const adoptBody = z.strictObject({ unproven: z.boolean().default(false) });
const undoBody = z.strictObject({});

/** Undefined also when the sender has left in the middle of it. */
async function readBody<T>(context: Context, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    return schema.safeParse(await context.req.json()).data;
  } catch {
    return undefined;
  }
}

const json = (data: unknown): Response => Response.json(data);
const refuse = (context: Context, refusal: Refusal): Response =>
  context.json(refusalBody(refusal), refusal.status);

const wrongToken: Refusal = {
  status: 401,
  code: "no-token",
  message: "The token is missing or not this server's.",
  hint: "Open the address that `whetstone ui` printed; each start makes a new one.",
};
const wrongNumber: Refusal = {
  status: 400,
  code: "usage",
  message: "`after` must be the number of an event.",
};
const wrongBody: Refusal = {
  status: 400,
  code: "usage",
  message: "The body must be {} or, to adopt, { unproven: true or false }.",
};
