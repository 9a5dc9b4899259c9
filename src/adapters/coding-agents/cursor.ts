import { join } from "node:path";
import { cursorSource } from "../transcripts/readers/cursor.ts";
import type { CodingAgent } from "./coding-agent.ts";

export const cursor: CodingAgent<"cursor"> = {
  name: "cursor",
  label: "Cursor",
  program: { name: "cursor-agent", packageName: undefined, variables: ["CURSOR_AGENT"] },
  reads: { files: ["AGENTS.md"] },
  memory: undefined,
  ownMemory: undefined,
  secrets: [".cursor/mcp.json"],
  skills: { project: [".cursor/skills"], home: [] },
  cli: undefined,
  transcripts: ({ home }, place = join(home, ".cursor")) => cursorSource({ home: place }),
  plugin: undefined,
};
