/** Where a release lives: what the repository itself does not know. */
export interface Address {
  /** `https://github.com/owner/name` */
  readonly repository: string;
  /** The tag that the links of this release point to. */
  readonly tag: string;
}

/** `package.json` with the addresses that npm's page shows and that provenance is checked against. */
export function withAddresses(manifest: object, { repository }: Address): object {
  return {
    ...manifest,
    repository: { type: "git", url: `git+${repository}.git` },
    homepage: `${repository}#readme`,
    bugs: { url: `${repository}/issues` },
  };
}

/** The plugin's manifest for Claude Code, with what its directory asks for. */
export const withPluginAddresses = (manifest: object, address: Address): object => ({
  ...manifest,
  homepage: `${address.repository}#readme`,
  repository: address.repository,
  privacyPolicyUrl: privacyPage(address),
});

/** The plugin's manifest for Codex, likewise. */
export const withCodexAddresses = (manifest: { readonly interface: object }, address: Address): object => ({
  ...manifest,
  interface: {
    ...manifest.interface,
    websiteURL: address.repository,
    privacyPolicyURL: privacyPage(address),
  },
});

const privacyPage = ({ repository, tag }: Address): string =>
  `${repository}/blob/${tag}/plugins/whetstone/PRIVACY.md`;

/** A Markdown text whose links also work where its files are not, such as on npm's page. Pictures are fetched as they are. */
export function withAbsoluteLinks(markdown: string, { repository, tag }: Address): string {
  const page = (path: string): string => `${repository}/blob/${tag}/${path}`;
  const picture = (path: string): string => `${repository}/raw/${tag}/${path}`;
  return markdown
    .replaceAll(
      /(!?)(\[(?:[^[\]]|!\[[^\]]*\]\([^)]*\))*\])\(([^)\s]+)\)/g,
      (all, mark: string, text: string, path: string) => {
        const inner =
          mark === "" ? withAbsoluteLinks(text.slice(1, -1), { repository, tag }) : text.slice(1, -1);
        if (!isRelative(path)) return all.replace(text, `[${inner}]`);
        return `${mark}[${inner}](${(mark === "" ? page : picture)(withoutDot(path))})`;
      },
    )
    .replaceAll(/\b(src|srcset|href)="([^"]+)"/g, (all, name: string, path: string) =>
      isRelative(path) ? `${name}="${(name === "href" ? page : picture)(withoutDot(path))}"` : all,
    );
}

const isRelative = (path: string): boolean => !/^(?:[a-z][\w+.-]*:|\/\/|#)/i.test(path);
const withoutDot = (path: string): string => path.replace(/^\.\//, "");

/** What the changelog says of a version; undefined while that is not called released. */
export function releaseNotes(changelog: string, version: string): string | undefined {
  const [, heading, text] =
    new RegExp(`^## (${version.replaceAll(".", "\\.")}(?![\\w.-]).*)\\n([^]*?)(?=^## |$(?![^]))`, "m").exec(
      changelog,
    ) ?? [];
  return heading === undefined || /unreleased/i.test(heading) ? undefined : text?.trim();
}
