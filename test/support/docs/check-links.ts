import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { documentedPages } from "./read-commands.ts";

const root = join(import.meta.dirname, "../../..");

/** Links of the built site: page and heading must be there. Gives how many there are. */
export function builtLinks(folder: string, faults: string[]): number {
  const pages = new Map(
    globSync("**/*.html", { cwd: folder }).map((path) => [path, readFileSync(join(folder, path), "utf8")]),
  );
  const ids = new Map(
    [...pages].map(([path, html]) => [
      path,
      new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  );
  let count = 0;
  for (const [path, html] of pages) {
    for (const [, href = ""] of html.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      if (/^(?:https?:|mailto:)/.test(href)) continue;
      count += 1;
      const [to = "", hash = ""] = href.split("#");
      const at =
        to === "" ? path : posix.join(to.startsWith("/") ? "" : dirname(path), to.replace(/^\//, ""));
      const found = [at, `${at}.html`, posix.join(at, "index.html")].find((one) => pages.has(one));
      if (found === undefined) faults.push(`${path} leads to ${href}, which is not there`);
      else if (hash !== "" && ids.get(found)?.has(decodeURIComponent(hash)) !== true)
        faults.push(`${path} leads to ${href}, and ${found} has no such heading`);
    }
  }
  return count;
}

/** Links of README and docs as files: what they lead to must be in the repository. */
export function sourceLinks(faults: string[]): number {
  let count = 0;
  for (const page of documentedPages()) {
    const text = readFileSync(join(root, page), "utf8").replaceAll(/^```[\s\S]*?^```$|`[^`\n]*`/gm, "");
    for (const [, href = ""] of text.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)) {
      const [to = ""] = href.split("#");
      if (to === "" || /^(?:https?:|mailto:|#|\/)/.test(href)) continue;
      count += 1;
      const path = join(root, dirname(page), decodeURIComponent(to));
      // made with the site
      if (!existsSync(path) && !path.startsWith(join(root, "docs/api")))
        faults.push(`${page} leads to ${href}, which is not there`);
    }
  }
  return count;
}
