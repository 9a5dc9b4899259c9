/** The command line as a person types it, for tests and proofs, which have no terminal; the proof `word` has real ones. */
import { join } from "node:path";
import { takeWordAsGiven } from "../../src/run/word.ts";

takeWordAsGiven();
process.argv[1] = join(import.meta.dirname, "../../src/apps/cli/main.ts");
await import("../../src/apps/cli/main.ts");
