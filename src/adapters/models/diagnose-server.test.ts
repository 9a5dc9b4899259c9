import { expect, test } from "vitest";
import type { IncomingMessage, ServerResponse } from "node:http";
import { InfraError } from "../../core/errors.ts";
import { nextStepOf } from "../../core/unanswered.ts";
import { chatCompletion, sendJson, serve } from "../../../test/support/serve-handler.ts";
import { placesNear } from "./find-api.ts";
import { resolveModel } from "./providers.ts";
import { readPage } from "./read-page.ts";

type Env = Readonly<Record<string, string>>;

/** What a first call to `<origin><path>` of this server ends with, and the next step for a target. */
async function firstCall(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
  { path = "/v1", id = "local/small", env = {} }: { path?: string; id?: string; env?: Env } = {},
) {
  await using server = await serve(answer);
  const origin = new URL(server.url).origin;
  const [provider = ""] = id.split("/", 1);
  const model = await resolveModel(id, { env, providers: { [provider]: { baseURL: `${origin}${path}` } } });
  const request = { model: id, messages: [{ role: "user" as const, content: "Hi" }], maxTokens: 5 };
  const error: unknown = await model
    .generate(request, { key: "k", signal: new AbortController().signal })
    .catch((caught: unknown) => caught);
  if (!(error instanceof InfraError)) return { reply: error };
  const { fault, message, class: kind } = error;
  const masked = (text: string) =>
    text.replaceAll(origin, "<origin>").replaceAll(new URL(origin).host, "<host>");
  return {
    fault,
    kind,
    message: masked(message),
    next: masked(nextStepOf(error, "target") ?? ""),
    seen: server.seen,
  };
}

const list = (...names: readonly string[]) => ({
  object: "list",
  data: names.map((id) => ({ id, object: "model" })),
});
const at =
  (
    routes: Readonly<Record<string, (response: ServerResponse) => void>>,
    otherwise: (response: ServerResponse) => void,
  ) =>
  (response: ServerResponse, { method, url }: IncomingMessage) =>
    (routes[`${method} ${url}`] ?? otherwise)(response);
const page = (status: number, html: string) => (response: ServerResponse) => {
  response.writeHead(status, { "content-type": "text/html" });
  response.end(html);
};

test.each([
  ["without /v1", "", "/v1", sendJson(404, { detail: "Not Found" })],
  ["with the whole path of a call", "/v1/chat/completions", "/v1", page(404, "404 page not found")],
  ["of another API of the same server", "/api", "/v1", page(405, "405 method not allowed")],
  ["of a site whose API is below", "", "/api/v1", page(200, "<!doctype html><title>Router</title>")],
  [
    "that is answered with 200 and an error",
    "",
    "/v1",
    sendJson(200, { error: "Unexpected endpoint or method. (POST /chat/completions)" }),
  ],
])("an address %s is corrected", async (_, path, right, otherwise) => {
  const routes = { [`GET ${right}/models`]: sendJson(200, list("small")) };
  const found = await firstCall(at(routes, otherwise), { path });
  expect(found).toMatchObject({
    fault: "wrong-path",
    kind: "refused",
    next: `Give --base-url <origin>${right}`,
  });
  expect(found.message).toContain(`there's no API at <origin>${path} (HTTP `);
});

test("an API that wants a key is found too, and one that wants it everywhere says nothing of its paths", async () => {
  const locked = sendJson(401, { error: "Unauthorized" });
  const some = await firstCall(at({ "GET /v1/models": locked }, sendJson(404, { detail: "Not Found" })), {
    path: "",
  });
  expect(some).toMatchObject({ fault: "wrong-path", next: "Give --base-url <origin>/v1" });
  const all = await firstCall(
    at({ "POST /v1/chat/completions": sendJson(404, { detail: "Not Found" }) }, locked),
  );
  expect(all.fault).toBeUndefined();
});

const missing: readonly (readonly [string, number, object, object])[] = [
  [
    "Ollama",
    404,
    { error: { message: 'model "tiny" not found, try pulling it first', type: "api_error" } },
    list("small:latest", "nomic-embed-text"),
  ],
  [
    "vLLM",
    404,
    { object: "error", message: "The model `tiny` does not exist.", type: "NotFoundError", code: 404 },
    list("small:latest"),
  ],
  [
    "OpenRouter",
    400,
    { error: { message: "tiny is not a valid model ID", code: 400 }, user_id: "u" },
    list("small:latest"),
  ],
  [
    "Google",
    404,
    { error: { code: 404, message: "models/tiny is not found", status: "NOT_FOUND" } },
    { models: [{ name: "small:latest" }] },
  ],
];

test.each(missing)(
  "a model that is not there is told with those that are: %s",
  async (_, status, body, models) => {
    const routes = { "GET /v1/models": sendJson(200, models) };
    const found = await firstCall(at(routes, sendJson(status, body)), { id: "local/tiny" });
    expect(found).toMatchObject({ fault: "model-missing", next: "Give --target local/small:latest" });
    expect(found.message).toBe('<host> doesn\'t have a model "tiny"; it has small:latest.');
  },
);

test("of many models the one that was meant is offered, and a few are named", async () => {
  const names = Array.from({ length: 300 }, (_, nth) => `vendor/model-${nth}`);
  const routes = { "GET /v1/models": sendJson(200, list(...names, "anthropic/claude-sonnet-4.6")) };
  const refusal = sendJson(400, {
    error: { message: "claude-sonnet-4-6 is not a valid model ID", code: 400 },
  });
  const found = await firstCall(at(routes, refusal), { id: "openrouter/claude-sonnet-4-6" });
  expect(found.next).toBe("Give --target openrouter/anthropic/claude-sonnet-4.6");
  expect(found.message).toMatch(/it has anthropic\/claude-sonnet-4\.6, vendor\/model-0, .* and 293 more\.$/);
});

test("a server without models says how one is loaded, and a refusal about something else is left alone", async () => {
  const empty = { "GET /v1/models": sendJson(200, list()) };
  const none = await firstCall(at(empty, sendJson(404, { error: { message: "model not found" } })), {
    id: "ollama/tiny",
  });
  expect(none).toMatchObject({ fault: "model-missing", next: "`ollama pull tiny` loads it there." });
  const there = { "GET /v1/models": sendJson(200, list("small")) };
  const other = await firstCall(
    at(there, sendJson(400, { error: { message: "model small takes no temperature" } })),
  );
  expect(other).toMatchObject({ fault: undefined, kind: "refused", next: "" });
});

test("Azure wants the name of a deployment, whatever it could deploy", async () => {
  const refusal = {
    error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." },
  };
  const routes = { "GET /openai/v1/models": sendJson(200, list("gpt-4o")) };
  const found = await firstCall(at(routes, sendJson(404, refusal)), {
    id: "azure-v1/gpt-4o",
    path: "/openai/v1",
  });
  expect(found).toMatchObject({
    fault: "model-missing",
    next: "Give --target azure-v1/<name of a deployment there>",
  });
});

test("a web page, another JSON and plain text are told apart", async () => {
  const html = page(200, "<!doctype html><head><title>Open WebUI</title></head><body>Sign in</body>");
  expect(await firstCall(html)).toMatchObject({
    fault: "web-page",
    message: '<origin>/v1 returned a web page (HTTP 200): "Open WebUI. Sign in".',
    next: expect.stringMatching(/^Give --base-url <address of an OpenAI-compatible API/),
  });
  expect((await firstCall(sendJson(200, { status: "ok" }))).fault).toBe("not-an-openai-server");
  expect((await firstCall(page(200, "It works!"))).fault).toBe("not-an-openai-server");
  expect((await firstCall(sendJson(404, { message: "no Route matched with those values" }))).fault).toBe(
    "not-an-openai-server",
  );
});

test("a redirect is not followed, and its end is offered where it is the same call", async () => {
  const to = (place: string) => (response: ServerResponse) => {
    response.writeHead(308, { location: place });
    response.end();
  };
  const moved = await firstCall(to("https://models.example/v2/chat/completions"), {
    env: { LOCAL_API_KEY: "secret" },
  });
  expect(moved).toMatchObject({ fault: "redirected", next: "Give --base-url https://models.example/v2" });
  expect(moved.seen).toHaveLength(1);
  const login = await firstCall(to("/login?next=%2Fv1"));
  expect(login).toMatchObject({ fault: "redirected", next: expect.stringContaining("--base-url <address") });
  expect(login.message).toContain("redirects calls to <origin>/login (HTTP 308)");
});

test("the words of whoever refuses on the way are shown", async () => {
  const html =
    "<html><head><title>Access denied</title><style>p{}</style></head><body><h1>Access denied</h1><p>Category: AI &amp; ML. Ask it@contoso.example.</p></body></html>";
  const found = await firstCall(page(403, html));
  expect(found).toMatchObject({ fault: "proxy-refused", kind: "refused" });
  expect(found.message).toContain('(HTTP 403): "Access denied Category: AI & ML. Ask it@contoso.example.".');
  // an API says no in JSON
  expect(
    (await firstCall(sendJson(403, { error: { message: "Country not supported" } }))).fault,
  ).toBeUndefined();
});

test("a wrong key names its variable, and what it was is not shown", async () => {
  const refused = sendJson(401, { error: { message: "Invalid API Key: sk-hidden-value", code: 401 } });
  const found = await firstCall(refused, { id: "vllm/small", env: { VLLM_API_KEY: "sk-hidden-value" } });
  expect(found).toMatchObject({
    fault: undefined,
    kind: "refused",
    next: "export VLLM_API_KEY=<a key that <host> accepts>",
  });
  expect(JSON.stringify({ ...found, seen: [] })).not.toContain("sk-hidden-value");
});

test("a server that has answered is not doubted for one bad answer", async () => {
  let calls = 0;
  await using server = await serve((response, { method }) => {
    if (method === "POST") calls += 1;
    if (calls === 1) return sendJson(200, chatCompletion("ok"))(response);
    page(200, "<html>maintenance</html>")(response);
  });
  const model = await resolveModel("local/m", { env: {}, providers: { local: { baseURL: server.url } } });
  const ask = () =>
    model.generate(
      { model: "local/m", messages: [{ role: "user", content: "Hi" }], maxTokens: 5 },
      { key: "k", signal: new AbortController().signal },
    );
  await ask();
  await expect(ask()).rejects.toMatchObject({ class: "transport", fault: undefined });
});

test("nobody there: how the server is started, or where else it is", async () => {
  const closed = await serve(() => {});
  await closed[Symbol.asyncDispose]();
  const model = await resolveModel("ollama/m", { env: {}, providers: { ollama: { baseURL: closed.url } } });
  const request = { model: "ollama/m", messages: [{ role: "user" as const, content: "Hi" }], maxTokens: 5 };
  await expect(
    model.generate(request, { key: "k", signal: new AbortController().signal }),
  ).rejects.toMatchObject({
    class: "transport",
    fault: undefined,
    message: `nothing is listening at ${new URL(closed.url).host} (ECONNREFUSED).`,
    hint: expect.stringMatching(
      /^Start the server at http:\/\/127\.0\.0\.1:\d+ \(`ollama serve`\), then run the same command again\./,
    ),
  });
  const own = await resolveModel("local/m", { env: {}, providers: { local: { baseURL: closed.url } } });
  await expect(
    own.generate({ ...request, model: "local/m" }, { key: "k", signal: new AbortController().signal }),
  ).rejects.toMatchObject({ hint: expect.stringContaining("(usual ports: llamacpp 8080, lmstudio 1234, ") });
});

test("places near an address are of the same server, the likeliest first", () => {
  expect(placesNear("http://h:1")).toEqual([
    "http://h:1/v1",
    "http://h:1/api/v1",
    "http://h:1/openai/v1",
    "http://h:1/api",
  ]);
  expect(placesNear("http://h/v1/chat/completions")[0]).toBe("http://h/v1");
});

test("of a page the words are read, not the code, and never much", () => {
  expect(readPage("<script>let a = '<p>no</p>'</script><b>Yes</b> &lt;1&gt;")).toBe("Yes <1>");
  expect(readPage("x".repeat(1000))).toHaveLength(240);
  expect(readPage("")).toBe("");
});
