import type { ErrorCode } from "./errors.ts";

/** An entry as `whetstone explain <code>` prints it and docs/errors.md lists it. */
export interface ErrorEntry {
  readonly means: string;
  readonly why: string;
  readonly todo: string;
}

/** One entry per error code. Each error names its own file, model or number; the entry covers what they share. */
export const errorEntries: Readonly<Record<ErrorCode, ErrorEntry>> = {
  usage: {
    means: "The command line, or a call from code, asks for something that can't be done as written.",
    why: "A flag or command is mistyped, two flags contradict each other, or a flag needs another one. Or the file already exists, or it is a link out of the project.",
    todo: "Read the error: it names the wrong word. `whetstone <command> --help all` lists every flag of a command.",
  },
  "config-invalid": {
    means: "A setting is unknown, has an invalid value, or contradicts another setting.",
    why: "The setting comes from the config file, the command line or an environment variable; the error says which. You also get this code for two config files in one folder, and for a file that isn't JSON or can't be loaded.",
    todo: "Correct the key named in the error. `whetstone train --help all` lists the settings with their values and defaults.",
  },
  "skill-invalid": {
    means: "The skill can't be trained or measured as it is.",
    why: "Its folder has no SKILL.md, or its frontmatter can't be read. Or a file isn't UTF-8 text of at most 256 kB, has a broken region marker, or contains answers of val or test tasks.",
    todo: "Fix the file named in the error. If a file is meant to contain answers, such as a lookup table, add `--may-hold-answers <file>`.",
  },
  "tasks-invalid": {
    means: "The tasks can't be used: a row can't be read or scored, or a split would be empty.",
    why: "A row has no check, or a check has a wrong value or an unknown kind. Or two tasks have the same id, all tasks are drafts, or there are too few tasks for three splits.",
    todo: "Fix the rows named in the error. `whetstone import <path>` shows what it understands of a file, and ends with this code if a task was lost. `--drop <assert>` leaves out asserts of a type; `--skip-invalid` leaves out the tasks.",
  },
  "not-found": {
    means: "The file, run, proposal, git ref or journal doesn't exist.",
    why: "Paths are resolved against the current directory, and runs are looked up in its journal (in your state folder, unless you set `--journal`).",
    todo: "Correct the name. `whetstone runs` lists the runs of this folder's journal.",
  },
  "peer-missing": {
    means: "An optional package is needed and isn't installed next to Whetstone.",
    why: "You only install the vendor SDKs and the packages for Redis, PostgreSQL, OpenTelemetry and the Agent Client Protocol that you use. A package in the project's node_modules is code that others can write, so it isn't loaded without your consent.",
    todo: "Install it with the command in the next step. For commands that run the project's code, `whetstone trust` allows the project's own packages instead.",
  },
  "sandbox-missing": {
    means: "Something must run in a sandbox, and this machine has none.",
    why: "Agents, `command` and `code` checks (`javascript` and `python` asserts) run programs that nobody has reviewed. On Linux they run in bubblewrap, on macOS in Seatbelt, elsewhere in docker or podman.",
    todo: "Install the sandbox named in the error, or use `--sandbox container`. `--sandbox none` runs agents unprotected on this machine.",
  },
  "judge-uncalibrated": {
    means: "The judge may not score, because it was wrong too often on answers known to be good or bad.",
    why: "Before a rubric counts, its judge is tried on references and on bad answers, such as empty ones or ones that praise themselves. A judge that passes those would make any claim worthless.",
    todo: "Choose a stronger model with `--judge`, write a rubric about things that can be seen in an answer, or use checks that a program decides.",
  },
  "checks-degenerate": {
    means: "A blank answer passes some checks on at least half of their tasks.",
    why: "Every check except a rubric is tried on answers that know nothing of the task, such as an empty answer, the prompt repeated, `{}` and an untouched workspace. A check that they pass shows nothing about a skill.",
    todo: "Add checks that only a good answer passes; `whetstone doctor evals` names the tasks. If a check is meant to be like that, `--waive <check>` keeps it.",
  },
  "agent-missing": {
    means: "An agent's program isn't installed, or doesn't report its version.",
    why: "Known agents (`claude-code`, `codex` and others) run as you installed them. Your own agents run with the command in the config.",
    todo: "Install it, or set its full path as `agents.<name>.command` in the config.",
  },
  "already-installed": {
    means: "The agent already has this version of the plugin, or a file of yours is in its place.",
    why: "`whetstone plugin install` never overwrites a file that it didn't write itself.",
    todo: "Use the plugin: the next step has the words to type in the agent. To reinstall it, run `whetstone plugin uninstall <agent>` first.",
  },
  "not-installed": {
    means: "The agent doesn't have the plugin, so there's nothing to uninstall.",
    why: "It was never installed for this user, or the agent's own command has removed it.",
    todo: "`whetstone plugin list` shows which agents have it.",
  },
  "not-confirmed": {
    means: "Only a person may decide this, and nobody has confirmed it.",
    why: "Adopting writes live files, consent speaks in your name, and training spends money. The command was started by a coding agent, or by something that looks like one: without a terminal, by a timer, or from a process whose parent has ended. Over MCP, the agent's client asks you in a form. A client without forms can't ask, and a change that is too long for a form isn't offered.",
    todo: "Type the command in your own terminal, outside any agent, in the project's folder; or click in a `whetstone ui` that you started there. Typing it after `!` inside an agent is refused too.",
  },
  "price-unknown": {
    means: "A cap in US dollars can't be enforced, because a model's price is unknown.",
    why: "A model on another machine may cost money, and a login pays by subscription, not by token.",
    todo: "Set a cap that needs no price, such as `--spend-calls 2000`, or give the price per million tokens: `--price provider/model=<in>,<out>`.",
  },
  "not-an-openai-server": {
    means: "Something answers at the address, but it isn't a model server.",
    why: "The port belongs to another program, or the server speaks another protocol.",
    todo: "Set the address of the API, such as `http://localhost:11434/v1`, with `--base-url` or `providers` in the config.",
  },
  "wrong-path": {
    means: "The server is right, but the path is wrong.",
    why: "Usually the address lacks `/v1` at the end.",
    todo: "Use the address in the next step: the API was found there.",
  },
  "web-page": {
    means: "The URL returned an HTML page, not an API response.",
    why: "It's the address of a dashboard, a login page or a captive portal.",
    todo: "Set the address of the API. If your network's login page is in the way, log in and run the same command again.",
  },
  redirected: {
    means: "The server redirects calls to another address, and Whetstone doesn't follow.",
    why: "Following would send your key to that address too.",
    todo: "If you trust that address, set it as the next step shows.",
  },
  "tls-failed": {
    means: "Couldn't make an encrypted connection to the server.",
    why: "The server's certificate has expired, comes from an issuer this machine doesn't know, or is for another name. Or one side speaks HTTP and the other HTTPS.",
    todo: "For your company's own certificate, set `NODE_EXTRA_CA_CERTS=<file.pem>`. Otherwise correct the scheme or the name in the address.",
  },
  "proxy-refused": {
    means: "A proxy between you and the server doesn't answer, or it refuses.",
    why: "`HTTPS_PROXY` or `HTTP_PROXY` is set, or the network has a proxy of its own.",
    todo: "Add the server to `NO_PROXY` if it doesn't need the proxy. Otherwise ask the people who run the proxy; its message is in the error.",
  },
  "model-missing": {
    means: "The server has no model with this name.",
    why: "The name is mistyped, or the model isn't loaded, was retired, or isn't available to this key.",
    todo: "Use one of the models named in the error, or load this one, for example with `ollama pull`.",
  },
  "reply-invalid": {
    means:
      "A model, an agent or an environment that you gave in code returned something that isn't a valid result.",
    why: "A model's reply is `{ text, finish, usage: { inputTokens, outputTokens } }`. A wrong field, or one that can't be written as JSON, would fail every later start, so it is refused before it is recorded.",
    todo: "Correct the field named in the error and run the same command again: finished work is kept. Without `usage`, a call is booked at its maximum and marked `estimated`. A quarter of the characters is a closer estimate.",
  },
  "spend-too-small": {
    means: "The cap is too small for even the smallest useful run, so no calls were made.",
    why: "Half a step or half a comparison shows nothing, and would cost money.",
    todo: "Raise the cap to the number in the error, or use fewer tasks. `whetstone plan` estimates what a run takes.",
  },
  "run-locked": {
    means: "Another process is working on the same run, journal or night.",
    why: "Two processes would buy the same calls twice.",
    todo: "Wait for it, or stop it. The lock ends with the process that holds it, even after `kill -9`.",
  },
  "offline-miss": {
    means: "`--offline` is set, and the journal doesn't have a result that the run needs.",
    why: "Settings, skill, tasks or prompts differ from those of the run that filled the journal.",
    todo: "Run once without `--offline`, or pass the journal that has the result with `--journal`.",
  },
  "journal-damaged": {
    means: "A row of the journal isn't what was written there.",
    why: "The disk failed, the journal was copied during a run, or another program wrote into the file. Each row is chained to the one before, so damage is noticed before anything goes on.",
    todo: "`whetstone journal check` shows what is wrong; `whetstone journal salvage --to <folder>` copies every sound row into a new journal.",
  },
  "journal-version": {
    means: "Another version of Whetstone wrote the journal, in a format that this one can't read.",
    why: "Before 1.0, formats may change between versions. Several versions may also share one database.",
    todo: "If it is newer, update Whetstone. If it is older, start another journal, or use the version that wrote it.",
  },
  "project-moved": {
    means: "The project was in another folder before, and its journal is still stored under that path.",
    why: "Journals are kept in your state folder, by the real path of the project. A project that was moved or renamed has no journal under its new path, so a run would buy everything again.",
    todo: "Type the `whetstone journal move` command from the error. To start over instead, type `whetstone forget <old path>`.",
  },
  "live-changed": {
    means: "A file changed after the run began, so the proposal no longer fits it.",
    why: "The run measured the old text with the edits. Writing that over the new text would lose somebody's change.",
    todo: "`whetstone diff` shows both. `whetstone adopt --merge` merges them, unproven. Or train again from the current text.",
  },
  "live-locked": {
    means: "Another process is changing the same files or deciding on the same proposal.",
    why: "Two at once could leave a mix of both.",
    todo: "Run the command again when the other one has ended.",
  },
  "hidden-text": {
    means: "The proposed text contains characters that people can't see.",
    why: "Zero-width, bidirectional and tag characters can carry instructions that a review misses.",
    todo: "Nothing was changed. `whetstone diff` shows the characters spelled out; copy what you want by hand.",
  },
  unproven: {
    means: "The proposal wasn't shown to be better, so it's only adopted if you ask for it.",
    why: "The held-out test didn't reach its threshold or wasn't run, or the gate was off.",
    todo: "`whetstone runs show` shows what the test found. `whetstone adopt --unproven` adopts it anyway, and the receipt says so.",
  },
  unacknowledged: {
    means:
      "The proposed text lets an agent do something new, such as reach a host or install a package, and nobody has agreed to that. Or no model has looked at what it asks for.",
    why: "A rule that helps may still ask for more than you want to give.",
    todo: "Read each new permission in the error. To agree, add `--acknowledge <word>` with the word before it.",
  },
  "not-opted-in": {
    means: "Nights read conversations, and this project has not been opted in. Nothing was read.",
    why: "Each person gives consent once per project, and it's kept in their state folder.",
    todo: "`whetstone sleep init` shows what nights would read, and asks.",
  },
  "not-consented": {
    means:
      "You haven't allowed this code, host or key for this folder. The code didn't run, and nothing was sent.",
    why: "The config or a file it loads is new or has changed, or conversations would be sent somewhere else. Or the config names a database or a queue whose host you haven't allowed.",
    todo: "Look at what changed, then type `whetstone trust`, which shows it and asks. For a night, type `whetstone sleep init`.",
  },
  "not-allowed": {
    means:
      "A worker was asked for something it wasn't started for, or a file outside the project would change.",
    why: "A worker's permissions are set when it starts, and nothing in Redis can widen them. Files in `.whetstone` can come from somebody else, so they can't name a file of yours elsewhere.",
    todo: "Start the worker with the permissions it needs, such as `--allow host=llm.internal:8080`. For a skill outside the project, run the same `whetstone train` again, then adopt.",
  },
  "state-damaged": {
    means: "A file that nights use as memory isn't what was written there.",
    why: "It was edited by hand, or a copy of it is incomplete.",
    todo: "Follow the next step for that file: restore a backup, or move the file away and let the next night start over.",
  },
  "timer-failed": {
    means: "The schedule couldn't be written, read or removed.",
    why: "You have neither cron nor a user systemd, the crontab can't be read, or its entry was changed by hand.",
    todo: "Follow the next step. Whetstone never overwrites schedule lines that aren't its own.",
  },
  "proposal-damaged": {
    means: "A proposal or a receipt isn't what was written, so nothing was changed.",
    why: "A file in the journal's folder was edited or is missing.",
    todo: "Run the same `train` or night again: finished calls are in the journal, and the proposal is written again.",
  },
  "report-invalid": {
    means: "The file isn't a report that `whetstone verify` can recompute.",
    why: "It isn't the `report.html` or `report.json` of a finished run, somebody removed its results, or an older version wrote it.",
    todo: "Pass the `report.html` or `report.json` of a run. Run the run's command again to rewrite both from the journal.",
  },
  "figures-changed": {
    means: "`whetstone verify` recomputed the verdict, and some figures don't follow from the results.",
    why: "Somebody edited the report, the proposal or the results after the run wrote them.",
    todo: "Don't rely on it. Ask for the run's journal, or run the same command again.",
  },
  "journal-write": {
    means: "The journal can't be written.",
    why: "The disk is full, the folder is read-only, or the database refuses it.",
    todo: "Fix that and run the same command again: finished work is kept.",
  },
  "redis-failed": {
    means: "Redis can't be reached, or isn't safe to use as it is.",
    why: "It isn't running, the address or password is wrong, or it's open to others without TLS.",
    todo: "Start it, or correct `--redis`. For another machine, use `rediss://` and a password.",
  },
  "live-write": {
    means: "A file of the skill can't be changed.",
    why: "It is read-only, or the disk is full.",
    todo: "Fix that and run the same command again: it finishes what it began, or starts over.",
  },
  "provider-refused": {
    means: "The server refused the call, and would refuse every other call too.",
    why: "The key is wrong or doesn't have access to this model, or the server doesn't accept the request (401, 403, 404, 400).",
    todo: "Set the variable named in the next step, or change what the server complains about. `whetstone doctor` calls each model once.",
  },
  "provider-spend-limit": {
    means: "Your account has reached the provider's own spending limit.",
    why: "You're out of credit, or have reached a monthly limit.",
    todo: "Add credit or raise the limit there, then run the same command again: finished work is kept.",
  },
  failed: {
    means: "Something failed that doesn't have a code of its own, or a check that you asked for wasn't met.",
    why: "`--fail-on` met its verdict, `doctor` found a problem, or git or an editor failed. Otherwise it's our bug, and the error shows the place in the code.",
    todo: "Follow the next step. If it says that this should not happen, please report the lines above it.",
  },
  "handoff-pending": {
    means: "Questions are waiting for answers that you or your agent write by hand.",
    why: "A role is `handoff/<name>`, so its calls become questions in the folder that the command names.",
    todo: "Write the answers into the file that the command names, then run the same command again.",
  },
  "spend-cap": {
    means: "The next call could exceed the cap, so it wasn't made.",
    why: "Before each call we reserve its maximum cost, then release what wasn't used.",
    todo: "Raise the cap and run the same command again: finished work is kept and not bought twice.",
  },
  "too-many-pending": {
    means: "Too many results are missing to say anything.",
    why: "The provider didn't answer, or answered with temporary errors (429, 5xx), or the judge's replies weren't usable. A missing result is never a score.",
    todo: "Run the same command again once the provider answers. It asks for the missing results, and asks the judge once per question. If the provider never answers a few tasks, `--leave-out <id>` goes on without them; a claim counts each as a loss.",
  },
  "replies-unusable": {
    means:
      "Nearly all replies are cut off, empty, refused or in the wrong format, or the prompts are too long. That says nothing about the skill, so the run stopped early.",
    why: "The token limit is too small for a reasoning model, the context is too small, or the optimizer doesn't keep to its format.",
    todo: "Change the setting named in the next step, such as `--target-max-tokens 8192` or `--contracts plain`, and run again. The same command, unchanged, asks an optimizer or a miner once more.",
  },
  interrupted: {
    means: "You stopped it, with Ctrl-C or a signal.",
    why: "Whetstone waited for calls in flight and kept their results.",
    todo: "Run the same command again to continue.",
  },
};
