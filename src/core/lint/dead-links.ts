import { isBinary } from "../files.ts";
import { localLinks } from "../skill/local-links.ts";
import type { Skill } from "../skill/skill.ts";
import { surfaceOf } from "../skill/surface.ts";
import { type LintFinding, placeAt } from "./lint-finding.ts";

/** Finds files that the text refers to but that don't exist. */
export function findDeadLinks(skill: Skill, exists: (path: string) => boolean): readonly LintFinding[] {
  const isProse = (file: string) => file === skill.main || surfaceOf(file, skill) === "reference";
  return Object.entries(skill.files)
    .filter(([file, text]) => isProse(file) && !isBinary(text))
    .flatMap(([file, text]) =>
      namedPaths(text)
        .filter((path) => !leadsSomewhere(path, file, exists))
        .map(
          (path): LintFinding => ({
            kind: "dead-link",
            place: placeAt(file, text, text.indexOf(path)),
            text: `names ${path}, which doesn't exist`,
            next: "Correct the path, add the file, or put its content here.",
          }),
        ),
    );
}

/** Paths are resolved against the skill's folder, or against the folder of the file that names them. */
const leadsSomewhere = (path: string, file: string, exists: (path: string) => boolean): boolean =>
  [path, `${file.slice(0, file.lastIndexOf("/") + 1)}${path}`].map(resolveDots).some(exists);

/** Removes `.` and, where possible, `..`. */
function resolveDots(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** Finds links in prose, and any path into folders that only skills have. Patterns and placeholders don't count. */
function namedPaths(text: string): readonly string[] {
  const prose = text.replaceAll(/```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]*`/g, " ");
  const inFolders = Array.from(text.matchAll(ownFolders), ([, path = ""]) => path);
  return [...new Set([...localLinks(prose, { inCode: false }), ...inFolders])].filter(
    (path) =>
      !/[*{}<>$…|]|\.\.\.|^(?:path|url|link|image|file)s?(?:[/-]|$)|example/i.test(path) &&
      /\.\w{1,8}$|\/$/.test(path),
  );
}

const ownFolders =
  /(?<![\w/.}$-])((?:\.\/)?(?:references|scripts|assets)\/(?:[\w@.-]+\/)*[\w@-][\w@.-]*\.[A-Za-z]\w{0,7})(?![\w/*{<-])/g;
