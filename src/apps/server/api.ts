import { type Context, Hono } from "hono";
import { z } from "zod";
import { decisionsSchema } from "../../core/offer/review.ts";
import type { HandOver } from "./hand-over.ts";
import type { LocalReports } from "./local-reports.ts";
import { type Refusal, notFound, refusalBody } from "./refusal.ts";
import { refuseError } from "./refuse-error.ts";
import { pagePolicy } from "./security-headers.ts";
import type { Token } from "./token.ts";

export interface ApiOptions {
  readonly reports: LocalReports;
  /** The web app, one file of HTML. */
  readonly page: string;
  readonly token: Token;
  readonly handOver: HandOver;
  readonly viewOnly?: string | undefined;
  /** Called with errors that shouldn't happen. */
  readonly onError?: (error: unknown) => void;
}

/** A run's id as part of an address. It's looked up among the journal's runs, never made into a path. */
const id = ":id{[A-Za-z0-9][A-Za-z0-9_-]*}";

/** Serves the web app and its data. Only requests that pass `findRefusal` get here. */
export function createApi({ reports, page, token, handOver, viewOnly, onError }: ApiOptions): Hono {
  const app = new Hono();
  const policy = pagePolicy(page);
  const shown = viewOnly === undefined ? page : page.replace("<body>", `<body><p>${onlyShows(viewOnly)}</p>`);

  // the page contains no data, so it may be reloaded after it has removed the token from the address
  app.get("/", (context) => {
    const code = context.req.query("code");
    if (code !== undefined)
      return handOver.take(code) ? context.redirect(`/?token=${token.text}`, 303) : refuse(context, usedCode);
    const offered = context.req.query("token");
    if (offered !== undefined && !token.matches(offered)) return refuse(context, wrongToken);
    return context.html(shown, 200, { "content-security-policy": policy });
  });
  app.use("/api/*", async (context, next) => {
    const offered = bearerOf(context.req.header("authorization"));
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
  const { sleep, offers } = reports;
  app.get("/api/nights", async () => json(await sleep.nights()));
  app.get(`/api/nights/${id}/report`, async ({ req }) => json(await sleep.nightReport(req.param("id"))));
  app.get("/api/proposals", async () => json(await offers.proposals()));
  app.get(`/api/proposals/${id}`, async ({ req }) => json(await offers.proposal(req.param("id"))));

  /** A change. Its body is checked before anything is done. */
  const change = <T>(path: string, body: z.ZodType<T>, act: (id: string, body: T) => Promise<unknown>) =>
    app.post(path, async (context) => {
      if (viewOnly !== undefined) return refuse(context, notAPerson(viewOnly));
      const given = await readBody(context, body);
      return given === undefined
        ? refuse(context, wrongBody)
        : json(await act(context.req.param("id") ?? "", given));
    });
  change(`/api/proposals/${id}/decide`, decideBody, (one, { decisions }) => offers.decide(one, decisions));
  change(`/api/proposals/${id}/adopt`, adoptBody, (one, body) => offers.adopt(one, body));
  change(`/api/proposals/${id}/reject`, rejectBody, (one, body) => offers.reject(one, body));
  change(`/api/proposals/${id}/undo`, undoBody, (one) => offers.undo(one));

  app.notFound((context) => refuse(context, notFound));
  app.onError((error, context) => {
    const refusal = refuseError(error);
    if (refusal.status === 500) onError?.(error);
    return refuse(context, refusal);
  });
  return app;
}

export const bearerOf = (header = ""): string | undefined => /^Bearer ([\w-]+)$/.exec(header)?.[1];

const adoptBody = z.strictObject({
  shown: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  acknowledge: z.array(z.string()).default([]),
  merge: z.boolean().default(false),
  unproven: z.boolean().default(false),
});
const undoBody = z.strictObject({});
const decideBody = z.strictObject({ decisions: decisionsSchema });
const rejectBody = z.strictObject({ reason: z.string() });

/** The body; undefined if it's invalid or the sender left before its end. */
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

const onlyShows = (doubt: string): string =>
  `This page is read-only, because ${doubt}. To adopt, type whetstone ui in your own terminal.`;
const notAPerson = (doubt: string): Refusal => ({
  status: 403,
  code: "not-confirmed",
  message: onlyShows(doubt),
});

const wrongToken: Refusal = {
  status: 401,
  code: "no-token",
  message: "The token is missing or isn't valid for this server.",
  hint: "Open the address that `whetstone ui` printed. Each start makes a new one.",
};
export const usedCode: Refusal = {
  status: 401,
  code: "no-token",
  message: "This address works only once and has been used or has expired.",
  hint: "Open the address that `whetstone ui` printed.",
};
const wrongBody: Refusal = {
  status: 400,
  code: "usage",
  message: "The request body isn't valid for this address.",
  hint: "Reload the page. If that doesn't help, the page and the server have different versions.",
};
