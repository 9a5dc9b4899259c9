import { expect, test } from "vitest";
import { openRedis } from "./open-redis.ts";

const reach = (url: string, insecureRedis?: boolean): Promise<string> =>
  openRedis(url, { insecureRedis }).then(
    (redis) => {
      redis.disconnect();
      return "reached";
    },
    (error: { readonly code: string }) => error.code,
  );

test.each([
  "redis://queue:6379",
  "redis://:password@queue:6379",
  "rediss://queue:6379",
  "redis://10.0.0.7",
  "redis://127.0.0.1.example",
  "redis://user@[fe80::1]:6379",
])("%s is another machine, without password or TLS: refused before anything is sent", async (url) => {
  expect(await reach(url)).toBe("config-invalid");
});

// nobody listens at any of them
test.each([
  "redis://127.0.0.1:1",
  "redis://127.8.9.1:1",
  "redis://localhost:1",
  "redis://[::1]:1",
  "/tmp/no-such-redis.sock",
])("%s is this machine", async (url) => {
  expect(await reach(url)).toBe("redis-failed");
});

test("beyond this machine with password and TLS, or with a word", async () => {
  expect(await reach("rediss://:password@127.0.0.1:1")).toBe("redis-failed");
  expect(await reach("redis://whetstone.invalid:1", true)).toBe("redis-failed");
});
