import type { PowerKind, PowerRank } from "../power.ts";

/**
 * Ranks a power. A project's own command (its build, its tests, its package manager without a new package, its
 * scripts) is a note. People must acknowledge anything that reaches the network, installs by name, destroys or hides.
 */
export function rankOf(kind: PowerKind, words: string): PowerRank {
  if (kind === "command") return isProjectCommand(words) ? "note" : "ask";
  if (kind === "install") return namesPackage(words) ? "ask" : "note";
  if (kind === "script") return isProjectScript(words) ? "note" : "ask";
  return "ask";
}

/** Reads a command from code, or from a sentence after a verb. */
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

/** A script named by a path within the project. */
const ownScript = /^\.\/(?!.*\.\.\/)[\w./-]+(?=\s|$)/;

const gitAtHome =
  /^git(?:\s+(?:status|diff|log|show|add|commit|switch|checkout|stash|rebase|merge|fetch|pull|branch|tag|mv|blame|restore|worktree|bisect)\b|\s*$)(?!.*(?:--force|--hard|\s-f\b|--no-verify|--mirror))/i;

/** Words that leave the project or bring in something new, with any tool. */
const farther =
  /\b(?:publish|login|logout|adduser|token|owner|config|dlx|exec|create|init|link|upload|deploy|release|push|registry|-e|--eval|-c)\b(?!\S)|\s-(?:e|c)\s|--(?:force|no-verify|registry|index-url|allow-\w+|no-check\S*|skip\S*|ignore-scripts=false)\b|\bhttps?\b|(?:^|\s)(?:~|\/(?!\s))\S*/i;

/** Something other than a flag follows the installer's command. */
function namesPackage(words: string): boolean {
  const after = installer.exec(words)?.[1];
  return after === undefined || operators.test(words) || /(?:^|\s)[^-\s]/.test(after);
}

const installer =
  /\b(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|pdm|cargo|go|gem|bundle|composer|dotnet|brew)\s+(?:(?:-\S+|tool|pip|global)\s+)*(?:i|install|ci|add|get|sync|update|upgrade|remove|uninstall)\b([^]*)$/i;

/** A file of the project, with nothing piped or fetched. */
const isProjectScript = (words: string): boolean =>
  !operators.test(words) &&
  !/(?:^|\s)(?:~|\/)|\.\.\//.test(words) &&
  !/\.(?:exe|msi|dmg|deb|rpm|scpt|applescript|vbs|command|app|jar|bat|ps1)\b/i.test(words) &&
  !/\bhooks\//.test(words);
