import type { PowerKind, PowerRank } from "../power.ts";

/**
 * How much a power weighs. A project's own command (its build, its tests, its package manager without a new package, its
 * scripts) is a note; whatever reaches the network, installs something by name, destroys or hides is asked for.
 */
export function rankOf(kind: PowerKind, words: string): PowerRank {
  if (kind === "command") return isProjectCommand(words) ? "note" : "ask";
  if (kind === "install") return namesPackage(words) ? "ask" : "note";
  if (kind === "script") return isProjectScript(words) ? "note" : "ask";
  if (kind === "credential") return onlySorts(words) ? "note" : "ask";
  return "ask";
}

/** As it stands in code, or in a sentence after a verb. */
function isProjectCommand(words: string): boolean {
  return commandOf(words)
    .split(/\s&&\s/)
    .every(
      (part) =>
        !operators.test(part) &&
        (tools.test(part) || gitAtHome.test(part) || ownScript.test(part)) &&
        !farther.test(part),
    );
}

const commandOf = (words: string): string =>
  words
    .replace(leadingVerb, "")
    .replace(/^["'`$>\s]+/, "")
    .replace(/^(?:[A-Z_][A-Z0-9_]*=\S*\s+)+/, "");

const leadingVerb =
  /^(?:run|runs|running|execute|executes|executing|invoke|invoking|launch|launching|call|calling|start|starting|use|using|type|enter|issue|trigger)(?:\s+(?:the|a|an|this|command|commands|following|first|then|also|always|again|it|with|via|through|called|named|program|tool|in|from|your|our))*[\s:]+/i;

const operators = /[|;<>]|\$\(|`|&(?!&)|:\/\//;

const tools =
  /^(?:\.{1,2}\/(?:gradlew|mvnw|manage\.py)|make|just|task|npm|pnpm|yarn|bun|deno|node|tsx|cargo|go|rustfmt|clippy|python3?|pytest|tox|nox|uv|poetry|pdm|hatch|ruff|black|isort|mypy|pyright|flake8|pylint|alembic|django-admin|vitest|jest|mocha|playwright|cypress|eslint|oxlint|prettier|biome|tsc|knip|turbo|nx|lerna|vite|webpack|rollup|storybook|prisma|drizzle-kit|knex|sqlx|gradle|mvn|sbt|dotnet|bundle|rake|rails|rspec|rubocop|composer|phpunit|phpstan|mix|swift|xcodebuild|flutter|dart|cmake|ctest|ninja|bazel|pre-commit|shellcheck|hadolint|rg|grep|fd|ls|wc|jq|diff)(?![\w/.-])/i;

/** By a path within the project. */
const ownScript = /^\.\/(?!.*\.\.\/)[\w./-]+(?=\s|$)/;

const gitAtHome =
  /^git(?:\s+(?:status|diff|log|show|add|commit|switch|checkout|stash|rebase|merge|fetch|pull|branch|tag|mv|blame|restore|worktree|bisect)\b|\s*$)(?!.*(?:--force|--hard|\s-f\b|--no-verify|--mirror))/i;

/** What leaves the project or takes in something new, with any tool. */
const farther =
  /\b(?:publish|login|logout|adduser|token|owner|config|dlx|exec|create|init|link|upload|deploy|release|push|registry|-e|--eval|-c)\b(?!\S)|\s-(?:e|c)\s|--(?:force|no-verify|registry|index-url|allow-\w+|no-check\S*|skip\S*|ignore-scripts=false)\b|\bhttps?\b|(?:^|\s)(?:~|\/(?!\s))\S*/i;

/** After an installer's word something that is no flag and no ordinary word; or the name of something in prose. */
function namesPackage(words: string): boolean {
  const after = installer.exec(words)?.[1];
  if (after === undefined) return named.test(words);
  const [first = ""] = after
    .trim()
    .split(/\s+/)
    .filter((word) => !word.startsWith("-"));
  return operators.test(words) || (first !== "" && !ordinary.test(first));
}

const installer =
  /\b(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|pdm|cargo|go|gem|bundle|composer|dotnet|brew)\s+(?:(?:-\S+|tool|pip|global)\s+)*(?:i|install|ci|add|get|sync|update|upgrade|remove|uninstall)\b([^]*)$/i;

const ordinary =
  /^(?:instead|to|for|of|and|or|not|never|before|after|when|if|in|with|without|the|a|an|any|every|each|all|here|only|once|again|first|then|is|are|rather|than|on|at|from\s+the\s+lockfile|dependencies|packages?|plugins?|as|so|because|but|,|;)[,.;:)]?$/i;

const named =
  /`[^`]+`|["“][^"”]+["”]|\b[a-z]+(?:[-_/.@][a-z0-9]+)+\b|@[\w-]+\/|\bfrom\b|:\/\/|\b(?:npx|bunx|uvx|pipx|pnpx|docker|podman|clone|mcp|plugin|extensions?|curl|wget|iex)\b|\b[A-Z]\w+(?=\s+(?:package|plugin|library|extension))|\b(?:package|plugin|library|extension)s?\s+(?:called|named)\b/;

/**
 * "Tickets about passwords go to queue ACCESS." has credentials as a topic and tells nobody to use them. A sentence that says
 * anything more may well ask for their use.
 */
const onlySorts = (words: string): boolean => {
  const { target } = (topicGoes.exec(words) ?? sortTopic.exec(words))?.groups ?? {};
  return target !== undefined && !handling.test(words);
};

const topics = String.raw`(?:tickets?|requests?|questions?|e-?mails?|messages?|cases?|issues?|complaints?|problems?|documents?|entries|records?|items?|topics?|calls?|chats?|reports?|notes?|threads?|everything)`;
const about = String.raw`(?:(?:all|any|every|each|an?|the)\s+)?${topics}\s+(?:that\s+)?(?:about|on|regarding|concerning|mention(?:s|ing)?|of|for)\s+[\w\s,/"'\x60-]{1,60}?`;
const place = String.raw`(?<target>(?:(?:the|queue|label|category|class|team|group|tag|topic|department|priority|code|type|kind|desk|section|shelf)\s+){0,3}["'\x60]?[\w-]+["'\x60]?(?:\s+(?:queue|label|category|class|team|group|tag|desk|section))?)\W*$`;
const topicGoes = new RegExp(
  String.raw`^\W*(?:${about}|[\w\s,/-]{1,80}?(?=\s+belong))\s+(?:go(?:es)?|belongs?|are routed|is routed|are assigned|is assigned|are sorted|are filed|count|counts|get|gets|are|is)\s+(?:(?:to|in|into|under|as)\s+)?${place}`,
  "i",
);
const sortTopic = new RegExp(
  String.raw`^\W*(?:route|classify|label|tag|assign|sort|file|categori[sz]e|mark)\s+${about}\s+(?:to|in|into|under|as|with)\s+${place}`,
  "i",
);
const handling =
  /\b(?:us(?:e|es|ed|ing)|read\w*|print\w*|show\w*|send\w*|sent|shar\w+|log|logs|logged|logging|cop(?:y|ies|ied|ying)|past\w+|stor\w+|sav\w+|writ\w+|includ\w+|reveal\w*|repeat\w*|quot\w+|find\w*|fetch\w*|open\w*|enter\w*|typ(?:e|es|ing)|sign(?:s|ed|ing)?|authenticat\w+|it|them|its|their|public|plain)\b/i;

/** A file of the project, and nothing piped or fetched. */
const isProjectScript = (words: string): boolean =>
  !operators.test(words) &&
  !/(?:^|\s)(?:~|\/)|\.\.\//.test(words) &&
  !/\.(?:exe|msi|dmg|deb|rpm|scpt|applescript|vbs|command|app|jar|bat|ps1)\b/i.test(words) &&
  !/\bhooks\//.test(words);
