import { expect, test } from "vitest";
import { readFleetSecret } from "./fleet-secret.ts";

test.each([undefined, "", "short", "a".repeat(64), "abab".repeat(20)])("%j is no secret", (secret) => {
  expect(() => readFleetSecret({ WHETSTONE_FLEET_SECRET: secret })).toThrow(
    expect.objectContaining({
      code: "config-invalid",
      hint: expect.stringContaining("openssl rand -hex 32"),
    }),
  );
});

test("what the hint makes is one", () => {
  const secret = "3b1f0c9d5e7a82641f0e9c8b7a6d5e4f3b1f0c9d5e7a82641f0e9c8b7a6d5e4f";
  expect(readFleetSecret({ WHETSTONE_FLEET_SECRET: ` ${secret}\n` })).toBe(secret);
});
