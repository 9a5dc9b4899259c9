import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countVoice } from "./count-voice.ts";
import { countSourceLines } from "./measure-sources.ts";

const path = join(import.meta.dirname, "../../walls.json");
const walls = JSON.parse(readFileSync(path, "utf8")) as { mostLines: number; voice: Record<string, number> };

walls.mostLines = Math.min(walls.mostLines, countSourceLines());
for (const [name, count] of Object.entries(countVoice()))
  walls.voice[name] = Math.min(walls.voice[name] ?? count, count);
writeFileSync(path, `${JSON.stringify(walls, null, 2)}\n`);
