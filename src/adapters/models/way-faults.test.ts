import { type RequestListener, createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { localCertificate } from "../../../test/support/local-certificate.ts";
import { InfraError } from "../../core/errors.ts";
import type { Failure } from "./failure.ts";
import { resolveModel } from "./providers.ts";
import type { ServerPlace } from "./server-place.ts";
import { findTlsFault } from "./tls-fault.ts";

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

const answer: RequestListener = (_, response) => void response.end('{"data":[]}');

async function faultOf(baseURL: string, env: Readonly<Record<string, string>> = {}): Promise<InfraError> {
  const model = await resolveModel("local/m", { env, providers: { local: { baseURL } } });
  const request = { model: "local/m", messages: [{ role: "user" as const, content: "Hi" }], maxTokens: 5 };
  const error: unknown = await model
    .generate(request, { key: "k", signal: new AbortController().signal })
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(InfraError);
  return error as InfraError;
}

test("a certificate that nobody trusts, and the next step that makes this process trust it", async () => {
  const port = await listen(createSecureServer(localCertificate, answer));
  expect(await faultOf(`https://127.0.0.1:${port}/v1`)).toMatchObject({
    fault: "tls-failed",
    class: "refused",
    billed: "no",
    message: expect.stringMatching(/^the certificate of 127\.0\.0\.1:\d+ isn't accepted \(.*self-signed/),
    hint: expect.stringMatching(/^export NODE_EXTRA_CA_CERTS=</),
  });
});

test("the other of the two schemes is offered", async () => {
  const secure = await listen(createSecureServer(localCertificate, answer));
  expect(await faultOf(`http://127.0.0.1:${secure}/v1`)).toMatchObject({
    fault: "tls-failed",
    message: `127.0.0.1:${secure} uses HTTPS, but was called with plain HTTP.`,
    hint: `Give --base-url https://127.0.0.1:${secure}/v1`,
  });
  const plain = await listen(createServer(answer));
  expect(await faultOf(`https://127.0.0.1:${plain}/v1`)).toMatchObject({
    fault: "tls-failed",
    hint: `Give --base-url http://127.0.0.1:${plain}/v1`,
  });
});

const place: ServerPlace = {
  provider: "local",
  name: "m",
  baseURL: "https://localhost:8443/v1",
  added: "",
  headers: {},
  keyVariable: "LOCAL_API_KEY",
  env: {},
  giveAddress: (address) => `Give --base-url ${address}`,
  fetch: () => Promise.reject(new Error("nobody is asked")),
};
const failed = (change: Partial<Failure>): Failure => ({
  status: undefined,
  insideSuccess: false,
  headers: {},
  said: "",
  message: "",
  url: undefined,
  page: undefined,
  isForeign: false,
  codes: [],
  names: [],
  ...change,
});

test("a certificate of another name offers that name, and one that has ended must be renewed", async () => {
  const { signal } = new AbortController();
  const message =
    "Hostname/IP does not match certificate's altnames: Host: localhost. is not in the cert's altnames: DNS:models.example";
  const other = failed({ codes: ["ERR_TLS_CERT_ALTNAME_INVALID"], message });
  expect((await findTlsFault(other, place, signal))?.hint).toBe(
    "Give --base-url https://models.example:8443/v1",
  );
  const ended = failed({ codes: ["CERT_HAS_EXPIRED"], message: "certificate has expired" });
  expect((await findTlsFault(ended, place, signal))?.hint).toMatch(/^Renew it on the server/);
  const nginx = failed({ status: 400, said: "<h1>400</h1>The plain HTTP request was sent to HTTPS port" });
  expect((await findTlsFault(nginx, { ...place, baseURL: "http://h:1/v1" }, signal))?.hint).toBe(
    "Give --base-url https://h:1/v1",
  );
});

test("a proxy that makes no way is quoted, and the way around it is told", async () => {
  const upstream = await listen(createServer(answer));
  const proxy = createServer(answer);
  proxy.on("connect", (_, socket) => {
    const page = "<html><title>Blocked</title><p>Category AI. Ask it@contoso.example.</p></html>";
    socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${page.length}\r\n\r\n${page}`);
  });
  const proxyPort = await listen(proxy);
  const env = { HTTP_PROXY: `http://me:secret@127.0.0.1:${proxyPort}`, NO_PROXY: "intranet" };
  const error = await faultOf(`http://127.0.0.1:${upstream}/v1`, env);
  expect(error).toMatchObject({
    fault: "proxy-refused",
    message: `the proxy 127.0.0.1:${proxyPort} refuses to connect to 127.0.0.1:${upstream} (HTTP 403): "Blocked Category AI. Ask it@contoso.example.".`,
    hint: expect.stringMatching(/^export NO_PROXY=intranet,127\.0\.0\.1 to bypass it, or ask /),
  });
  expect(JSON.stringify(error)).not.toContain("secret");
});

test("a proxy that is not there is not taken for the server", async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => void closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => void closed.close(resolve));
  expect(await faultOf("http://models.invalid/v1", { HTTP_PROXY: `http://127.0.0.1:${port}` })).toMatchObject(
    {
      fault: "proxy-refused",
      message: expect.stringContaining(`the proxy 127.0.0.1:${port} doesn't answer`),
      hint: expect.stringMatching(/^export NO_PROXY=models\.invalid /),
    },
  );
});
