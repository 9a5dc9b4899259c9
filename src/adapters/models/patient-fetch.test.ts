import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createPatientFetch } from "./patient-fetch.ts";
import { sendJson, serve } from "../../../test/support/serve-handler.ts";

const post = { method: "POST", body: "{}" };

test("a request is answered without a proxy", async () => {
  await using server = await serve(sendJson(200, { a: 1 }));
  const response = await createPatientFetch({})(server.url, post);
  expect(await response.json()).toEqual({ a: 1 });
});

test("the proxy of the given environment is used, except where it says no", async () => {
  await using server = await serve(sendJson(200, { a: 1 }));
  const asked: string[] = [];
  const proxy = createServer().on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
  const http_proxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  await expect(createPatientFetch({ http_proxy })(server.url, post)).rejects.toThrow("fetch failed");
  expect(asked).toEqual([new URL(server.url).host]);
  const direct = await createPatientFetch({ http_proxy, no_proxy: "127.0.0.1" })(server.url, post);
  expect(direct.status).toBe(200);
  proxy.closeAllConnections();
  await new Promise((resolve) => void proxy.close(resolve));
});
