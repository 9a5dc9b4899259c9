/** The command line as a person types it, for tests and proofs, which have no terminal; the proof `word` has real ones. */
import { enableCompileCache } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeWordAsGiven } from "../../src/run/word.ts";

// most children get an environment of their own: compiled once, the program starts in a third of the time
enableCompileCache(process.env["NODE_COMPILE_CACHE"] ?? join(tmpdir(), "whetstone-compiled"));
takeWordAsGiven();
process.argv[1] = join(import.meta.dirname, "../../src/apps/cli/main.ts");
await import("../../src/apps/cli/main.ts");
