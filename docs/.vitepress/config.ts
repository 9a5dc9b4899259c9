import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type DefaultTheme, defineConfig } from "vitepress";
import { linkOutside, repositoryAddress } from "./link-outside.ts";

const docs = join(import.meta.dirname, "..");
const page = (text: string, name: string) => ({ text, link: `/${name}` });

/** The first heading of a page. */
const titleOf = (path: string): string =>
  /^# (.*)$/m.exec(readFileSync(join(docs, path), "utf8"))?.[1] ?? path;

const decisions = readdirSync(join(docs, "decisions"))
  .filter((name) => /^\d+-.*\.md$/.test(name))
  .toSorted()
  .map((name) => page(titleOf(`decisions/${name}`), `decisions/${name.slice(0, -3)}`));

/** Pages that no part names come last among the guides, so that none is lost. */
function withOthers(parts: readonly DefaultTheme.SidebarItem[]): DefaultTheme.SidebarItem[] {
  const named = new Set(["/index", ...parts.flatMap(({ items = [] }) => items.map(({ link }) => link))]);
  const others = readdirSync(docs)
    .filter((name) => name.endsWith(".md") && !named.has(`/${name.slice(0, -3)}`))
    .map((name) => page(titleOf(name), name.slice(0, -3)));
  return parts.map((part) =>
    part.text === "How-to guides" ? { ...part, items: [...(part.items ?? []), ...others] } : part,
  );
}

/** As GitHub does it, so that a link to a heading works in both places. */
const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");

/** `npm run docs` builds the site into docs/.vitepress/dist. It needs no network, and loads nothing from one. */
export default defineConfig({
  title: "Whetstone",
  description: "Trains agent skills and tests the result on held-out tasks before you adopt it.",
  lang: "en",
  cleanUrls: true,
  head: [
    [
      "link",
      {
        rel: "icon",
        href: "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M1 12 11 2l4 4-10 8z' fill='%230072b2'/%3E%3C/svg%3E",
      },
    ],
  ],
  // braces at the end of a line are text here
  markdown: { config: linkOutside, attrs: { disable: true }, anchor: { slugify: slugOf } },
  // its tables need the room of the outline
  transformPageData: ({ relativePath, frontmatter }) => {
    if (relativePath === "config.md") frontmatter["aside"] = false;
    if (relativePath === "index.md" && repositoryAddress)
      frontmatter["hero"].actions.push({ theme: "alt", text: "GitHub", link: repositoryAddress });
  },
  themeConfig: {
    search: { provider: "local" },
    ...(repositoryAddress ? { socialLinks: [{ icon: "github", link: repositoryAddress }] } : {}),
    outline: [2, 3],
    nav: [
      page("Five minutes", "five-minutes"),
      page("Concepts", "concepts"),
      page("Config", "config"),
      page("Errors", "errors"),
    ],
    sidebar: withOthers([
      {
        text: "Tutorials",
        items: [
          page("Five minutes", "five-minutes"),
          page("A first evening with a local model", "local-models"),
        ],
      },
      {
        text: "How-to guides",
        items: [
          page("Evals that work", "evals"),
          page("Models", "models"),
          page("Servers and their faults", "servers"),
          page("Agents and sandboxes", "agents"),
          page("Nights", "sleep"),
          page("Plugins", "plugins"),
          page("MCP", "mcp"),
          page("Cost and budgets", "cost"),
          page("Pull requests and CI", "ci"),
          page("Fleet and scale", "scale"),
          page("In code", "code"),
          page("Coming from other tools", "coming-from"),
          page("Check a result you were given", "verify"),
          page("Extend Whetstone itself", "extend"),
        ],
      },
      {
        text: "Reference",
        items: [
          page("Config", "config"),
          page("Command line", "cli"),
          page("Checks and task fields", "checks"),
          page("Prompts", "prompts"),
          page("Errors", "errors"),
          page("API", "api/"),
          page("Glossary", "glossary"),
          page("What you can rely on", "promises"),
          page("Results", "results"),
          page("Stability", "stability"),
        ],
      },
      {
        text: "Explanation",
        items: [
          page("Concepts", "concepts"),
          page("How verdicts are made", "verdicts"),
          page("How it works", "how-it-works"),
          page("Privacy and security", "privacy"),
          page("Evidence", "evidence"),
          page("Roadmap", "roadmap"),
          { text: "Decisions", link: "/decisions/", collapsed: true, items: decisions },
        ],
      },
    ]),
  },
});
