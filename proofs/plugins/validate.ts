import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** What Cursor's published schemas allow (cursor/plugins, schemas/), as far as we use it; unknown fields are refused. */
const person = z.strictObject({ name: z.string().min(1), email: z.email().optional() });
const name = z.string().regex(/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/);
const text = z.string();
const paths = z.union([text, z.array(text)]);
const manifest = z.strictObject({
  name,
  displayName: text.optional(),
  description: text.optional(),
  version: text.optional(),
  author: person.optional(),
  homepage: z.url().optional(),
  repository: z.url().optional(),
  license: text.optional(),
  logo: text.optional(),
  keywords: z.array(text).optional(),
  category: text.optional(),
  commands: paths.optional(),
  skills: paths.optional(),
  mcpServers: z.union([text, z.record(text, z.unknown())]).optional(),
});
const marketplace = z.strictObject({
  name: text.min(1),
  owner: person.optional(),
  metadata: z.object({ description: text.optional() }).optional(),
  plugins: z.array(z.strictObject({ name, source: text.min(1), description: text.optional() })),
});

/** What is wrong with Cursor's two files. */
export function cursorProblems(root: string): readonly string[] {
  const check = (schema: z.ZodType, path: string): readonly string[] => {
    const read = schema.safeParse(JSON.parse(readFileSync(join(root, path), "utf8")));
    return read.success ? [] : [`${path}: ${z.prettifyError(read.error)}`];
  };
  return [
    ...check(manifest, "plugins/whetstone/.cursor-plugin/plugin.json"),
    ...check(marketplace, ".cursor-plugin/marketplace.json"),
  ];
}

interface Finding {
  readonly code?: string | null;
  readonly message: string;
}

interface Report {
  readonly success: boolean;
  readonly manifest: { readonly errors: readonly Finding[]; readonly warnings: readonly Finding[] };
  readonly contents: readonly Report["manifest"][];
  readonly directory: { readonly findings: readonly Finding[] } | null;
  readonly advice: readonly Finding[];
}

/** What `claude plugin validate --strict --json` finds; advice that needs an address that we do not have is told apart. */
export function claudeFindings(printed: string) {
  const { success, manifest, contents, directory, advice } = JSON.parse(printed) as Report;
  const found = [manifest, ...contents].flatMap(({ errors, warnings }) => [...errors, ...warnings]);
  return {
    success,
    findings: [...found, ...(directory?.findings ?? [])].map(({ message }) => message),
    advice: advice.map(({ message }) => message),
  };
}
