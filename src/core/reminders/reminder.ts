/**
 * A reminder stops a tool call before it runs, or an agent that would finish without a command, and tells it what the person asked
 * for. It is one line in the person's state.
 * The plugin's hook checks it with a copy of this file, which `npm run generate` writes. So this file imports nothing, and takes
 * time linear in its input.
 */
export interface Reminder {
  readonly act: Act["kind"] | "finishing without";
  /** `npm install`: a command's first words and its options. `dist/`, `*.lock`, `src/a.ts`: a path. One `*` a word at most. */
  readonly pattern: string;
  /** The person's rule. */
  readonly message: string;
}

export type ReminderCheck = Pick<Reminder, "act" | "pattern">;

export const remindersFile = "reminders.md";

/** A part of a tool call, in one shape for all agents: it runs a command, given in words, or writes a file of the project. */
export type Act =
  | { readonly kind: "running"; readonly words: readonly string[] }
  | { readonly kind: "writing"; readonly path: string };

/** A reminder as one line, and the other way round. */
export const reminderText = ({ act, pattern, message }: Reminder): string =>
  `Stop before ${act} \`${pattern}\`: ${message}`;

/** All reminders of a file; a line that isn't one doesn't matter to the others. */
export const readReminders = (text: string): readonly Reminder[] =>
  Array.from(
    text
      .slice(0, mostText)
      .matchAll(/^[-*] Stop before (running|writing|finishing without) \x60([^\x60\n]+)\x60: (.+)$/gm),
    ([, act, pattern = "", message = ""]) => ({ act: act as Reminder["act"], pattern, message }),
  );

/** The first reminder that a tool call runs into. */
export function findReminder(reminders: readonly Reminder[], acts: readonly Act[]): Reminder | undefined {
  return reminders.find((reminder) => acts.some((act) => isMeant(reminder, act)));
}

/** Whether any of them is a file of the project. */
export const changesFiles = (acts: readonly Act[]): boolean =>
  acts.some((act) => act.kind === "writing" && !/^(?:[/~]|\w:)/.test(act.path));

/** Whether a conversation that did this changed files, and never ran the command that it must not end without. */
export const isMissed = ({ act, pattern }: ReminderCheck, acts: readonly Act[]): boolean =>
  act === "finishing without" &&
  changesFiles(acts) &&
  !acts.some((one) => isMeant({ act: "running", pattern }, one));

export function isMeant({ act: kind, pattern }: ReminderCheck, act: Act): boolean {
  if (act.kind === "writing") return kind === "writing" && fitsPath(pattern, act.path);
  return kind === "running" && fitsCommand(pattern.split(" "), act.words);
}

function fitsCommand(pattern: readonly string[], words: readonly string[]): boolean {
  const [plain, options] = [pattern.filter((word) => !isOption(word)), pattern.filter(isOption)];
  if (!words.some((word) => fits(plain[0] ?? "", word))) return false;
  return (
    startsOf(words).some((given) => plain.every((word, at) => fits(word, given[at] ?? ""))) &&
    options.every((option) => words.some((word) => isOption(word) && fitsOption(option, word)))
  );
}

/** A command without its options, and also without the words behind them, which may be their values. */
export const startsOf = (words: readonly string[]): readonly (readonly string[])[] => [
  words.filter((word) => !isOption(word)),
  words.filter((word, at) => !isOption(word) && !isOption(words[at - 1] ?? "")),
];

const isOption = (word: string): boolean => /^-./.test(word);

/** `-rf` is `-fr`, and `--force` is in `--force=yes`. */
const fitsOption = (option: string, word: string): boolean =>
  fits(option, word.split("=")[0] ?? "") ||
  (isCluster(option) && isCluster(word) && sorted(option) === sorted(word));

const isCluster = (option: string): boolean => /^-\w{2,8}$/.test(option);
const sorted = (word: string): string => word.split("").toSorted().join("");

/** A folder, a path from the project's folder, or a file's name wherever it is. */
function fitsPath(pattern: string, path: string): boolean {
  if (pattern.endsWith("/")) return path.startsWith(pattern);
  return fits(pattern, pattern.includes("/") ? path : (path.split("/").at(-1) ?? ""));
}

function fits(pattern: string, word: string): boolean {
  const [start = "", end] = pattern.split("*");
  if (end === undefined) return word === pattern;
  return word.length >= start.length + end.length && word.startsWith(start) && word.endsWith(end);
}

/** The acts of a tool call, whatever the agent calls the tool and its fields. `root`: the project's folder, absolute. */
export function actsOf(tool: string, input: unknown, root: string): readonly Act[] {
  const fields: Readonly<Record<string, unknown>> = Object(typeof input === "string" ? { input } : input);
  const given = fields["command"] ?? fields["cmd"] ?? "";
  const patch = [given, fields["input"], fields["patch"]]
    .flat()
    .filter((text) => typeof text === "string")
    .join("\n");
  const paths = isWriter(tool)
    ? pathFields.map((name) => fields[name]).filter((path) => typeof path === "string")
    : Array.from(patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm), ([, path = ""]) => path);
  const line =
    typeof given === "string" ? actsIn(cut(given)) : unwrap([given].flat().slice(0, mostActs).map(cut));
  return [...(isWriter(tool) ? [] : line), ...paths.map((path) => ({ kind: "writing", path }) as const)]
    .slice(0, mostActs)
    .map((act) => (act.kind === "writing" ? { ...act, path: inside(act.path, root) } : act));
}

/** Names of tools that write one file, over all agents, without case and underscores. */
export const isWriter = (tool: string): boolean => writers.has(tool.toLowerCase().replaceAll("_", ""));

const writers = new Set(
  `write writefile edit editfile multiedit replace strreplace searchreplace strreplaceeditor create createfile delete deletefile editnotebook notebookedit`.split(
    " ",
  ),
);

export const pathFields = "path file_path filePath target_file target_notebook notebook_path".split(" ");

function inside(path: string, root: string): string {
  const [plain, folder] = [path.trim().replaceAll("\\", "/"), `${root.replaceAll("\\", "/")}/`];
  return (plain.startsWith(folder) ? plain.slice(folder.length) : plain).replace(/^\.\//, "");
}

const [mostText, mostActs] = [65_536, 500];
const cut = (word: unknown): string => String(word).slice(0, mostText);

/**
 * The commands of a line of shell and the files that it writes by `>`. It is split where the shell splits it, so quoted words,
 * comments and here-documents aren't commands. Variables and aliases aren't followed.
 */
function actsIn(text: string, depth = 0): readonly Act[] {
  const acts: Act[] = [];
  const ends: string[] = [];
  let [words, word, isTarget]: [string[], string | undefined, boolean] = [[], undefined, false];
  const endWord = () => {
    if (word === undefined) return;
    if (!isTarget) words.push(word);
    else if (!word.startsWith("/dev/")) acts.push({ kind: "writing", path: word });
    [word, isTarget] = [undefined, false];
  };
  const tokens = new RegExp(shellToken, "gy");
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const { escaped, plain, quoted, bare, end, to, split } = found.groups ?? {};
    const part = escaped ?? plain ?? quoted?.replaceAll(/\\(["\\$\x60])/g, "$1") ?? bare;
    if (part !== undefined) word = (word ?? "") + part;
    else endWord();
    if (to !== undefined) isTarget = !to.includes("&", 1);
    if (end !== undefined) ends.push(end);
    if (split === undefined) continue;
    acts.push(...unwrap(words, depth));
    [words, isTarget] = [[], false];
    if (split !== "\n") continue;
    for (const last of ends.splice(0)) {
      const at = text.indexOf(`\n${last}\n`, tokens.lastIndex - 1);
      tokens.lastIndex = at < 0 ? text.length : at + last.length + 1;
    }
  }
  endWord();
  return [...acts, ...unwrap(words, depth)];
}

/** A part of a word, a redirection, the start of a here-document, the end of a command; else only the end of a word. */
const shellToken =
  /\\\n|\\(?<escaped>[^])|'(?<plain>[^']*)'?|"(?<quoted>(?:[^"\\]|\\[^])*)"?|(?<=^|[\s;&|()])#.*|<<<|<<-?[ \t]*(?<mark>["']?)(?<end>[\w.-]+)\k<mark>|(?<to>\d*&?>+\|?(?:&[\d-]*)?)|(?<split>\$\(|[;|&()\x60\n])|(?<bare>[^\\'"<>;|&()\x60\s$]+|\$)|[^]/;

/** The command itself, without what only starts it; of a shell with `-c`, the commands that it is given. */
function unwrap(words: readonly string[], depth = 0): readonly Act[] {
  const isStarted = words.some((word) => starters.has(word));
  const at = words.findIndex(
    (word) => !starters.has(word) && !/^\w+=/.test(word) && !(isStarted && /^-|^\d/.test(word)),
  );
  const [program = "", ...rest] = at < 0 ? [] : words.slice(at);
  const name = program.split(/[/\\]/).at(-1) ?? "";
  const script = /^\w*sh$/.test(name) ? rest.findIndex((word) => /^-\w*c$/.test(word)) + 1 : 0;
  if (script > 0 && depth < 3) return actsIn(rest[script] ?? "", depth + 1);
  return name === "" ? [] : [{ kind: "running", words: [name, ...rest] }];
}

/** Words of the shell, and programs that start the one behind them. */
const starters = new Set(
  "if then else elif while until do ! { } time sudo env exec command nohup timeout nice xargs".split(" "),
);
