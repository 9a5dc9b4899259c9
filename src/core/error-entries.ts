import type { ErrorCode } from "./errors.ts";

/** What `whetstone explain <code>` prints and docs/errors.md lists. */
export interface ErrorEntry {
  readonly means: string;
  readonly why: string;
  readonly todo: string;
}

/** One entry per error code. The error itself names the file, the model or the number; this is what holds for all of them. */
export const errorEntries: Readonly<Record<ErrorCode, ErrorEntry>> = {
  usage: {
    means: "The command line, or a call from code, asks for something that cannot be done as it was written.",
    why: "A flag or command is mistyped, two flags contradict each other, a flag needs another one, the thing is there already, or a file is a link out of the project.",
    todo: "Read the sentence: it names the word that is wrong. `whetstone <command> --help all` lists every flag of a command.",
  },
  "config-invalid": {
    means: "A setting is unknown, has a value that it cannot have, or contradicts another one.",
    why: "The config file, the command line or an environment variable holds it; the sentence says which. Two config files in one folder, and a file that is not JSON or cannot be loaded, end here too.",
    todo: "Correct the key that is named. `whetstone train --help all` lists the settings with their values and defaults.",
  },
  "skill-invalid": {
    means: "The skill cannot be trained or measured as it is.",
    why: "Its folder has no SKILL.md, its frontmatter cannot be read, a file is not UTF-8 text of at most 256 kB, a region marker is broken, or a file holds answers of val or test tasks.",
    todo: "Mend the file that is named. If a file is meant to hold answers, such as a table to look things up in, say so: `--may-hold-answers <file>`.",
  },
  "tasks-invalid": {
    means: "The tasks cannot be used: a row cannot be read or scored, or a split would be empty.",
    why: "A row has no check, or a check has a wrong value or an unknown kind. Or ids are doubled, all tasks are drafts, or there are too few tasks for three splits.",
    todo: "Fix the rows that are named. `whetstone import <path>` shows what is understood of a file and ends with this code if a task was lost. `--drop <assert>` leaves out asserts of a type, `--skip-invalid` the tasks.",
  },
  "not-found": {
    means: "A file, a run, a proposal, a git ref or a journal that was named is not there.",
    why: "The path is meant from the folder that the command is started in, and a run from its journal (in your state folder, unless `--journal` says otherwise).",
    todo: "Correct the name. `whetstone runs` lists the runs of this folder's journal.",
  },
  "peer-missing": {
    means: "An optional package is needed, and it isn't installed next to Whetstone.",
    why: "Vendors' SDKs, Redis, PostgreSQL, OpenTelemetry and the Agent Client Protocol are installed only by those who use them. A package in the project's node_modules is code that others can write, so it isn't loaded without your consent.",
    todo: "Install it with the command in the next step. For commands that run the project's code, `whetstone trust` allows the project's own packages instead.",
  },
  "sandbox-missing": {
    means: "Something must run in a box, and there is none on this machine.",
    why: "Agents, `command` and `code` checks (`javascript` and `python` asserts) run programs that nobody has looked at. On Linux they run in bubblewrap, on macOS in Seatbelt, elsewhere in docker or podman.",
    todo: "Install the sandbox that is named, or use `--sandbox container`. `--sandbox none` runs agents unprotected on this machine.",
  },
  "judge-uncalibrated": {
    means: "The judge may not score: it was wrong too often on answers that are known to be good or bad.",
    why: "Before a rubric counts, its judge is tried on references, empty answers, praise of itself and the like. A judge that passes those would make any claim worthless.",
    todo: "Take a stronger model with `--judge`, write a rubric that names what can be seen in an answer, or use checks that a program decides.",
  },
  "checks-degenerate": {
    means: "Checks pass on an answer that knows nothing of the task, for half of their tasks or more.",
    why: "Every check but a rubric is tried on an empty answer, the prompt given back, `{}`, an untouched workspace and others. What passes there shows nothing about a skill.",
    todo: "Add checks that only a good answer passes; `whetstone doctor evals` names the tasks. If it is meant so, `--waive <check>` lets it count.",
  },
  "agent-missing": {
    means: "The program of an agent is not installed, or does not tell its version.",
    why: "Known agents (`claude-code`, `codex` and others) are run as you installed them; agents of your own are run by the command in the config.",
    todo: "Install it, or write its whole path: `agents.<name>.command` in the config.",
  },
  "already-installed": {
    means: "The agent has the plugin already, in this version, or a file of yours stands in its place.",
    why: "`whetstone plugin install` never writes over what it did not write itself.",
    todo: "Use it: the next step has the words to type in the agent. `whetstone plugin uninstall <agent>` takes it out first.",
  },
  "not-installed": {
    means: "The agent does not have the plugin, so there is nothing to take out.",
    why: "It was never installed for this user, or the agent's own command has removed it.",
    todo: "`whetstone plugin list` shows which agents have it.",
  },
  "not-confirmed": {
    means: "Only a person may decide this, and no person said yes.",
    why: "Adopting writes live files, consent speaks in your name, and a training spends money. A command was started under a coding agent, or by something that can't be told from one: no terminal, a timer, a process whose parent has ended. Over MCP, the agent's client asks you in a form; a client without forms can't ask, and a change that is too long for a form isn't asked about.",
    todo: "Type the command in a terminal of your own, outside of any agent, in the project's folder; or click in a `whetstone ui` that you started there. Behind `!` inside an agent it is refused too.",
  },
  "price-unknown": {
    means: "A cap in US dollars cannot be kept, because a model's price is not known.",
    why: "A model behind an address that is not this machine may cost money, and a login pays by subscription and not by token.",
    todo: "Cap something that holds without a price, such as `--spend-calls 2000`, or give the price per million tokens: `--price provider/model=<in>,<out>`.",
  },
  "not-an-openai-server": {
    means: "Something answers at the address, but not as a model's server does.",
    why: "The port belongs to another program, or the server speaks another protocol.",
    todo: "Name the address of the API, such as `http://localhost:11434/v1`, with `--base-url` or `providers` in the config.",
  },
  "wrong-path": {
    means: "The server is right and the path is wrong.",
    why: "Most often `/v1` is missing at the end of the address.",
    todo: "Use the address that the next step names: the API was found there.",
  },
  "web-page": {
    means: "A page for people is at this address, and no API.",
    why: "It is the address of a dashboard, a login or a captive portal.",
    todo: "Name the address of the API. If a login page of your network is in the way, log in and start the same command again.",
  },
  redirected: {
    means: "The server sends calls on to another address, and they are not followed.",
    why: "The key would go to that other address too.",
    todo: "If you trust it, name the address where calls end, as the next step has it.",
  },
  "tls-failed": {
    means: "No encrypted connection to the server could be made.",
    why: "Its certificate has expired, was issued by somebody whom this machine does not know, or is for another name; or one side speaks HTTP and the other HTTPS.",
    todo: "For a certificate of your own company set `NODE_EXTRA_CA_CERTS=<file.pem>`. Otherwise correct the scheme or the name in the address.",
  },
  "proxy-refused": {
    means: "A proxy on the way to the server does not answer or says no.",
    why: "`HTTPS_PROXY` or `HTTP_PROXY` is set, or the network has a proxy of its own.",
    todo: "Add the server to `NO_PROXY` if it can be reached without, or ask whoever runs the proxy; its own words are in the error.",
  },
  "model-missing": {
    means: "The server has no model of this name.",
    why: "It is mistyped, not loaded, retired, or not for this key.",
    todo: "Take one of the models that are named, or load it, such as with `ollama pull`.",
  },
  "reply-invalid": {
    means:
      "A model, an agent or an environment that you gave in code returned something that is not a result.",
    why: "A reply of a model is `{ text, finish, usage: { inputTokens, outputTokens } }`. A wrong field, or one that can't be written as JSON, would fail every later start, so it is refused before it is recorded.",
    todo: "Correct the field that is named and start the same command again: finished work is kept. Without `usage` a call is booked at the most that it can have used, and marked `estimated`. A quarter of the characters is a closer estimate.",
  },
  "spend-too-small": {
    means: "The cap does not pay for the least that the command could do, so nothing was called.",
    why: "Half a step or half a comparison shows nothing, and would cost money.",
    todo: "Raise the cap to the number that is named, or take fewer tasks. `whetstone plan` says what a run takes.",
  },
  "run-locked": {
    means: "Another process is at work on the same run, journal or night.",
    why: "Two processes would buy the same calls twice.",
    todo: "Wait for it, or stop it. The lock goes with the process that holds it, also after `kill -9`.",
  },
  "offline-miss": {
    means: "`--offline` is set, and the journal does not have a result that is needed.",
    why: "Settings, skill, tasks or prompts differ from those of the run that filled the journal.",
    todo: "Run once without `--offline`, or name the journal that has it with `--journal`.",
  },
  "journal-damaged": {
    means: "A row of the journal is not what was written there.",
    why: "The disk, a copy that was made during a run, or a program that wrote into the file. Each row is chained to the one before, so it is noticed before anything goes on.",
    todo: "`whetstone journal check` says what is wrong; `whetstone journal salvage --to <folder>` copies every sound row into a new journal.",
  },
  "journal-version": {
    means: "The journal was written by another version of Whetstone whose format this one does not read.",
    why: "Formats before 1.0 may change between versions; a database may be shared by several versions.",
    todo: "If it is newer, update Whetstone. If it is older, begin another journal, or use the version that wrote it.",
  },
  "project-moved": {
    means: "The project was in another folder before, and its journal is still filed under that path.",
    why: "Journals are kept in your state folder, by the real path of the project. A project that was moved or renamed has no journal under its new path, so a run would buy everything again.",
    todo: "Type the `whetstone journal move` that is named. To start over instead, `whetstone forget <old path>`.",
  },
  "live-changed": {
    means: "A file was changed since the run began, so the proposal does not fit it any more.",
    why: "What was measured is the old text with the edits. Written over the new one, somebody's change would be lost.",
    todo: "`whetstone diff` shows both. `whetstone adopt --merge` brings them together, unproven; or train again from the text as it is now.",
  },
  "live-locked": {
    means: "Another process is changing the same files or deciding on the same proposal.",
    why: "Two of them at once could leave half of each.",
    todo: "Run the command again when it has ended.",
  },
  "hidden-text": {
    means: "The proposed text holds characters that a person does not see.",
    why: "Zero-width, bidirectional and tag characters can carry instructions that a review misses.",
    todo: "Nothing was changed. `whetstone diff` shows them spelled out; take over by hand what you want.",
  },
  unproven: {
    means: "The proposal was not shown to be better, so it is not adopted unless you say so.",
    why: "The sealed test did not reach its bar, was not made, or the gate was off.",
    todo: "`whetstone runs show` says what the test found. `whetstone adopt --unproven` takes it all the same, and the receipt says so.",
  },
  unacknowledged: {
    means:
      "The proposed text lets an agent do something new, such as reach a host or install a package, and nobody has said yes to it. Or no model has looked at what it asks for.",
    why: "A rule that helps may still ask for more than you want to give.",
    todo: "Read each of them in the error; `--acknowledge <word>`, with the word before each, says yes.",
  },
  "not-opted-in": {
    means: "Nights read conversations, and this project has not been opted in. Nothing was read.",
    why: "Consent is given once per project and person, and is kept in your state folder.",
    todo: "`whetstone sleep init` says what would be read, and asks.",
  },
  "not-consented": {
    means:
      "Code, a host or a key is not among those that you allowed for this folder. Nothing of it ran, and nothing was sent.",
    why: "The config or a file that it loads has changed or is new, conversations would be sent somewhere else, or the config names a database or a queue whose host you haven't allowed.",
    todo: "Look at what changed, then `whetstone trust` shows and asks. For a night: `whetstone sleep init`.",
  },
  "not-allowed": {
    means:
      "A worker was asked for something that it was not started for, or a file outside of the project would change.",
    why: "What a worker may use is named when it starts; nothing in Redis can widen that. And files in `.whetstone` can come from somebody else: they can't name a file of yours elsewhere.",
    todo: "Start the worker with what it may do, such as `--allow host=llm.internal:8080`. For a skill outside of the project, run the same `whetstone train` again, then adopt.",
  },
  "state-damaged": {
    means: "A file in which nights remember something is not what was written there.",
    why: "It was edited by hand, or a copy of it is incomplete.",
    todo: "Do what the next step says of that file: put back a backup, or move it away and let the next night begin anew.",
  },
  "timer-failed": {
    means: "The schedule could not be written, read or removed.",
    why: "There is neither cron nor a systemd of your own, a crontab cannot be read, or its entry was changed by hand.",
    todo: "Follow the next step. A schedule is never written over lines that are not ours.",
  },
  "proposal-damaged": {
    means: "A proposal or a receipt is not what was written, so nothing was changed.",
    why: "A file of the journal's folder was edited, or is missing.",
    todo: "Run the same `train` or night again: finished calls are in the journal, and the proposal is written anew.",
  },
  "report-invalid": {
    means: "The file isn't a report that `whetstone verify` can compute again.",
    why: "It isn't the `report.html` or `report.json` of a finished run, somebody took its results out, or an older version wrote it.",
    todo: "Name the `report.html` or `report.json` of a run. Running the same command again writes both anew from the journal.",
  },
  "figures-changed": {
    means: "`whetstone verify` computed the verdict again, and some figures don't follow from the results.",
    why: "Somebody edited the report, the proposal or the results after the run wrote them.",
    todo: "Don't rely on it. Ask for the run's journal, or run the same command again.",
  },
  "journal-write": {
    means: "The journal cannot be written.",
    why: "The disk is full, the folder is read-only, or the database refuses it.",
    todo: "Mend that and start the same command again: what was finished before is kept.",
  },
  "redis-failed": {
    means: "Redis cannot be reached, or may not be used as it is.",
    why: "It is not running, the address or password is wrong, or it is open to others without TLS.",
    todo: "Start it, or correct `--redis`. Other machines are reached with `rediss://` and a password.",
  },
  "live-write": {
    means: "A file of the skill cannot be changed.",
    why: "It is read-only, or the disk is full.",
    todo: "Mend that and run the same command again: it finishes what was begun, or begins anew.",
  },
  "provider-refused": {
    means: "The server says no, and would say no to every other call too.",
    why: "The key is wrong or has no right to this model, or the server does not take the request (401, 403, 404, 400).",
    todo: "Set the variable that the next step names, or change what the server's words are about. `whetstone doctor` calls each model once.",
  },
  "provider-spend-limit": {
    means: "The provider's own limit of your account is reached.",
    why: "Credit has run out, or a monthly limit holds.",
    todo: "Add credit or raise the limit there, then start the same command again: finished work is kept.",
  },
  failed: {
    means: "Something failed that has no code of its own, or a check that you asked for was not met.",
    why: "`--fail-on` met its verdict, `doctor` found a problem, git or an editor failed; otherwise it is a mistake of ours, with the place in the code.",
    todo: "Follow the next step. Where it says that this should not happen, please report the lines above it.",
  },
  "handoff-pending": {
    means: "Questions wait for answers that you or your agent write by hand.",
    why: "A role is `handoff/<name>`: its calls become questions in the folder that the command names.",
    todo: "Write the answers into the file that is named, then start the same command again.",
  },
  "spend-cap": {
    means: "The next call could exceed the cap, so it was not made.",
    why: "The most that a call can cost is reserved before it is made; what was reserved and not used is given back.",
    todo: "Raise the cap and start the same command again: finished work is kept and not bought twice.",
  },
  "too-many-pending": {
    means: "Too many results are missing for anything to be said.",
    why: "The provider did not answer, or with errors that may pass (429, 5xx), or the judge's replies could not be used. A missing result is never a score.",
    todo: "Start the same command again once the provider answers: it asks for what is missing, the judge once per question. If it never answers a few tasks, `--leave-out <id>` goes on without them; a claim counts each as a loss.",
  },
  "replies-unusable": {
    means:
      "Nearly all replies are cut off, empty, refused, not as asked, or the prompts are too long. It says nothing about the skill, so the run stopped early.",
    why: "A token limit that is too small for a reasoning model, a context that is too small, or an optimizer that does not keep to its format.",
    todo: "Change the setting that the next step names, such as `--target-max-tokens 8192` or `--contracts plain`, and start again. The same command, unchanged, asks an optimizer or a miner once more.",
  },
  interrupted: {
    means: "You stopped it, with Ctrl-C or a signal.",
    why: "Calls in flight were waited for and are kept.",
    todo: "Start the same command again to go on.",
  },
};
