import { expect, test } from "vitest";
import { seatbeltProfile } from "./seatbelt.ts";

const place = { workspace: "/var/w", home: "/Users/a/h", temporary: "/tmp/t", port: 4321 };

test("the profile denies by default and opens what the job names", () => {
  const profile = seatbeltProfile(place, ["/Users/a/tool"]);
  const lines = profile.split("\n");
  expect(lines.slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
  expect(profile).toContain(
    '(allow file-read* file-write* (subpath "/var/w") (subpath "/private/var/w") (subpath "/Users/a/h") (subpath "/tmp/t") (subpath "/private/tmp/t"))',
  );
  expect(lines.filter((line) => line.includes("file-write"))).toHaveLength(2);
  expect(profile).toContain('(subpath "/Users/a/tool")');
  expect(profile).not.toMatch(/subpath "\/(?:Users|Users\/a|private|var|tmp)?"/);
  expect(lines.filter((line) => line.includes("network"))).toEqual([
    '(allow network-outbound (remote tcp "localhost:4321"))',
  ]);
});

test("without a model there is no network, and a quote in a path stays a path", () => {
  const profile = seatbeltProfile({ ...place, port: undefined, workspace: '/w/a"b\\c' }, []);
  expect(profile).not.toContain("network");
  expect(profile).toContain('(subpath "/w/a\\"b\\\\c")');
});
