import { singleFileSkill } from "../../../src/core/skill/skill.ts";
import type { Kind } from "./workshop.ts";

const rules = (count: number, word: string, lineEnd = "\n"): string =>
  Array.from({ length: count }, (_, at) => `- rule ${at + 1}: ${word}${lineEnd}`).join("");

/** A file with BOM and CRLF, and a folder in which a file is added, one replaced, one deleted and one left alone. */
export const kinds: readonly Kind[] = [
  {
    name: "one file",
    original: singleFileSkill(`\uFEFF# Skill\r\n\r\n${rules(200, "old", "\r\n")}`),
    best: singleFileSkill(`\uFEFF# Skill\r\n\r\n${rules(900, "new", "\r\n")}`),
    isFile: true,
    modes: { "SKILL.md": 0o640 },
  },
  {
    name: "folder",
    original: {
      main: "SKILL.md",
      files: {
        "SKILL.md": `---\nname: skill\n---\n${rules(900, "old")}`,
        "references/kept.md": `${rules(3, "kept")}no line end`,
        "scripts/gone.sh": "echo gone\n",
      },
    },
    best: {
      main: "SKILL.md",
      files: {
        "SKILL.md": `---\nname: skill\n---\n${rules(300, "new")}`,
        "references/kept.md": `${rules(3, "kept")}no line end`,
        "references/more/added.md": rules(50, "added"),
      },
    },
    isFile: false,
    modes: { "SKILL.md": 0o600, "scripts/gone.sh": 0o755, "references/kept.md": 0o444 },
  },
];
