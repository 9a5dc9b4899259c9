import { type FoundPower, found } from "./addresses.ts";
import { type Code, codeSpan, type PowerPiece, type PowerText } from "./power-text.ts";

/** Finds commands, installations and scripts: in code, after words such as "run", and in prose, even where it forbids them. */
export const findCommands = ({ sentences, code }: PowerText): readonly FoundPower[] =>
  [...code.filter(isCommand), ...sentences.flatMap(findNamed)].map(toFound);

function toFound({ text, line }: PowerPiece): FoundPower {
  const words = text.replace(/^[$>#]\s+/, "").replace(/[`.,;:!?)]+$/, "");
  return found(kindOf(words), { text: words, line });
}

/** Leaves code to `isCommand`. If matches overlap, the first pattern wins. */
function findNamed({ text, line }: PowerPiece): readonly PowerPiece[] {
  let rest = text.replaceAll(codeSpan, (span) => "\u0001".repeat(span.length));
  const pieces: PowerPiece[] = [];
  for (const pattern of [proseCommand, afterVerb, scriptFile])
    rest = rest.replaceAll(pattern, (match) => {
      pieces.push({ text: match, line });
      return "\u0001".repeat(match.length);
    });
  return pieces;
}

function kindOf(words: string): "install" | "script" | "command" {
  if (installs.test(words)) return "install";
  return runsScript.test(words) ? "script" : "command";
}

function isCommand({ text, lead, isShell }: Code): boolean {
  if (isShell) return !/^(?:#|::|REM\b)/i.test(text);
  const isRun = runs.test(lead);
  const bare = text.replace(/^[$>#%]\s+/, "").replace(/^(?:[A-Z_][A-Z0-9_]*=\S*\s+)+/, "");
  return (
    text !== bare ||
    anyCommand.test(bare) ||
    calls.test(bare) ||
    (isRun && /^[\w./-]+(?:\s|$)/.test(bare)) ||
    interpreted.test(bare) ||
    shellFile.test(bare) ||
    /^[\w./-]+(?:\s+[^|&;]*)?(?:\s&&\s|\s\|\s+(?:ba|z|da)?sh\b|\|\|\s*true|\s>>?\s*[\w~/.$]|\s2>&1)/.test(
      bare,
    ) ||
    /\$\([^)]+\)|\bIEX\b|Invoke-\w+/i.test(bare)
  );
}

// names that mean nothing else in prose
const plainNames =
  "npx|pnpm|yarn|bunx|deno|pip3?|pipx|uvx|cargo|docker|podman|kubectl|helm|terraform|ansible|ssh|scp|sftp|rsync|curl|wget|netcat|ncat|socat|nmap|telnet|aws|gcloud|heroku|vercel|brew|apt(?:-get)?|yum|dnf|apk|pacman|choco|winget|powershell|pwsh|bash|zsh|sudo|doas|chmod|chown|rm|mkdir|systemctl|launchctl|crontab|schtasks|osascript|psql|mysql|sqlite3|redis-cli|mongosh?|openssl|gpg|xargs|sed|awk|certutil|bitsadmin|rundll32|python3?|perl|ruby|php|node|npm|gh|git|claude|codex|opencode|gemini|tar|dd|nc|printenv|pkill|killall|nohup|tmux|mvn|gradle|bundle|gem|composer|dotnet|rustup|pytest|vitest|jest|eslint|prettier|tsc|ruff|mypy|biome|make";
const otherNames =
  "go|bun|uv|poetry|az|fly|netlify|snap|scoop|sh|fish|cmd|eval|exec|source|env|export|su|mv|cp|ln|touch|cat|tee|grep|find|zip|unzip|gzip|mount|umount|kill|service|at|open|xdg-open|start|base64|xxd|lua|jq|cursor-agent|copilot|code|vim|nano|screen|watch|history|set|unset|alias|whoami|uname|hostname|ifconfig|ip|lsof|ps|df|du|security|defaults|reg|net|wmic|mshta|cscript|wscript|java|javac|gcc|clang|rake|rails|flask|alembic|prisma|wrangler|supabase|firebase|turbo|nx|lerna|head|tail|sort|ss|netstat|dig|ping|echo|ls|cd|test|time|tox|black|oxlint|pi|ollama|ngrok|cloudflared|host|patch|split|truncate|shred|useradd|usermod|passwd|ufw|iptables|pbcopy|xclip|sleep|stty|trap|strace|gdb|ftp";
const anyCommand = new RegExp(
  String.raw`^(?:(?:${plainNames})(?:\s+\S|$)|(?:${otherNames})\s+\S)|^(?:\.{1,2}\/)[\w./-]+(?:\s|$)`,
);

const subcommands =
  "push|pull|fetch|reset|clean|checkout|commit|merge|rebase|clone|remote|config|add|stash|branch|tag|apply|am|cherry-pick|revert|restore|switch|rm|mv|init|submodule|worktree|filter-branch|gc|reflog|log|diff|status|show|bisect|i|install|ci|run|test|exec|publish|start|login|link|x|uninstall|update|upgrade|audit|pack|version|create|dlx|build|compose|rmi?|stop|kill|cp|delete|get|describe|scale|rollout|plan|destroy|import|search|tap|pr|issue|repo|gist|release|auth|api|secret|workflow|mcp|plugin|s3|iam|ec2|sts|global|set|remove|up|down|exec|logs|prune|system|image|volume|network|context|drain|cordon|edit|patch|label|annotate|port-forward|proxy|cluster-info|top";
const argument = String.raw`(?:(?:&&|\|)\s*\S+|-{1,2}[\w?][^\s,;]*|[^\s,;]*[/@=\\:*$~|<>{}"'][^\s,;]*|[\w-]+\.[\w.-]*\w|\d+)`;
const word = String.raw`[^\s,;]+`;
const proseCommand = new RegExp(
  String.raw`(?<![\w./@\x60-])(?:${otherNames})\s+-{1,2}[\w?][^\s,;]*(?:\s+${argument}){0,6}|(?<![\w./@\x60-])(?:${plainNames})\s+(?:(?:${subcommands})(?![\w'])(?:\s+${argument}(?:\s+${word}){0,6})?|(?:${word}\s+){0,1}${argument}(?:\s+${argument}|\s+${word}(?=\s+${argument})){0,8})`,
  "g",
);

const verb = String.raw`\b(?:run|runs|running|execute|executes|executing|invoke|invoking|launch|launching|exec|type|issue|enter|call|calling|start|starting|use|using|source|sourcing|trigger|schedule)`;
const filler = String.raw`(?:\s+(?:the|a|an|this|command|commands|following|first|then|also|always|again|it|with|via|through|called|named|program|tool|utility|file|script|binary|once|in|from|your|our))*`;
const runs = new RegExp(
  String.raw`\b(?:run|runs|running|execute|executes|executing|invoke|launch|exec|type|enter|start|starting|source|schedule)${filler}\s*$`,
  "i",
);
const afterVerb = new RegExp(
  String.raw`${verb}${filler}[\s:"']+(?:(?:${plainNames})(?![\w'])|(?:${otherNames})\s+${argument}|\.{1,2}\/[\w./-]+|[\w./-]*\.(?:sh|bash|zsh|ps1|bat|cmd|py|rb|pl|js|mjs|cjs|ts|php|lua|exe|command|app|jar)(?![\w/]))(?:\s+${word}){0,6}`,
  "gi",
);

const installs = new RegExp(
  [
    String.raw`\b(?:npm|pnpm|yarn|bun)\s+(?:(?:-\S+|global|exec|dlx|create|init)\s+)*(?:i|install|add|link|dlx|create|exec|x|ci|up|upgrade|update)\b`,
    String.raw`\b(?:npx|bunx|uvx|pipx|pnpx)\s+\S`,
    String.raw`\b(?:pip3?|uv|poetry|conda|mamba|gem|cargo|go|brew|apt(?:-get)?|yum|dnf|apk|pacman|snap|choco|winget|scoop|composer|dotnet|rustup|deno|krew|helm|port|nix(?:-env)?|code|cursor|flatpak|luarocks|opam|cpan|mise|asdf)\s+(?:(?:-\S+|tool|pip|plugin|extension|package|repo)\s+)*(?:install|add|get|reinstall|-S\w*|-i\w*|--install-extension|tap|i)\b`,
    String.raw`\bpython3?\s+-m\s+pip\b`,
    String.raw`\b(?:curl|wget|iwr|fetch|invoke-webrequest)\b[^\n]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|\b(?:iex|invoke-expression)\b|\b(?:ba)?sh\s+<\(|\b(?:ba)?sh\s+-c\s+["']?\$\((?:curl|wget)`,
    String.raw`\b(?:docker|podman)\s+(?:pull|run)\b|\bgit\s+clone\b|\bgit\s+submodule\s+add\b`,
    String.raw`\b(?:claude|codex|gemini|opencode|cursor)\s+(?:mcp|plugin|extensions?|skills?)\b`,
  ].join("|"),
  "i",
);
const runsScript =
  /^(?:(?:ba|z)?sh|source|\.|node|python3?|ruby|perl|deno run|bun|tsx|pwsh|powershell)\s+(?:-\S+\s+)*[\w./~-]+\.\w{1,4}(?:\s|$)|^(?:[a-z]+\s+(?:the\s+)?(?:file\s+|script\s+)?)?(?:\.{1,2}\/|scripts?\/|bin\/|tools?\/)?[\w./-]*\.(?:sh|bash|zsh|ps1|bat|cmd|py|rb|pl|js|mjs|cjs|ts|php|lua|exe|command|jar)(?:\s|$)|^(?:[a-z]+\s+(?:the\s+)?)?(?:\.{1,2}|scripts?|bin|tools?|hooks)\/[\w./-]+/i;
const interpreted =
  /^(?:(?:ba|z)?sh|source|\.|node|python3?|ruby|perl|deno run|bun|tsx|pwsh|powershell)\s+(?:-\S+\s+)*[\w./~-]+\.\w{1,4}(?:\s|$)/i;
const shellFile =
  /^[\w./~-]*\.(?:sh|bash|zsh|fish|ps1|bat|cmd|vbs|exe|command|scpt|msi)(?:\s|$)|^(?:scripts?|bin|hooks)\/[\w./-]+(?:\s|$)/i;
const scriptFile =
  /(?<![\w./~-])[\w./~-]*\.(?:sh|bash|zsh|fish|ps1|bat|cmd|vbs|exe|command|applescript|scpt|msi|dmg|deb|rpm)(?![\w/.-])|(?<![\w./~-])(?:scripts?|bin|hooks)\/[\w./-]+|(?<![\w./~-])\.\/[\w-]+(?![\w/.-])/gi;

const calls =
  /\b(?:subprocess\.\w+|os\.(?:system|popen|exec\w*|remove|spawn\w*)|child_process|exec(?:Sync|File\w*)?|spawn(?:Sync)?|eval|__import__|shell_exec|passthru|getRuntime|ProcessBuilder|requests\.(?:get|post|put|request)|urlopen|urllib\.\w+|fetch|XMLHttpRequest|axios(?:\.\w+)?|https?\.(?:get|post|request)|socket\.\w+|WebSocket|sendBeacon|pickle\.loads?|rmtree|rmSync|unlink(?:Sync)?|importlib\.\w+)\s*\(/;
