import { once } from "node:events";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { type Server, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openTerminal } from "../proofs/terminal/tmux.ts";
import { claudeCode } from "../src/adapters/agents/claude-code.ts";
import { judgeRun } from "../src/adapters/agents/judge-run.ts";
import { resolveModel } from "../src/adapters/models/providers.ts";
import { serve } from "../src/adapters/models/serve-for-test.ts";
import { createColors } from "../src/apps/cli/colors.ts";
import { facts } from "../src/apps/cli/facts.ts";
import { fleetLines } from "../src/apps/cli/fleet-commands.ts";
import type { Io } from "../src/apps/cli/io.ts";
import { openIo } from "../src/apps/cli/open-io.ts";
import { createProgram } from "../src/apps/cli/program.ts";
import { paintLine } from "../src/apps/cli/proposal-command.ts";
import { reportError, unexpected } from "../src/apps/cli/report-error.ts";
import { ruleLines } from "../src/apps/cli/review-lines.ts";
import { openRunView } from "../src/apps/cli/run-view.ts";
import { tempDir } from "../src/config/temp-dir-for-test.ts";
import { WhetstoneError } from "../src/core/errors.ts";
import type { EventBody, RunEvent } from "../src/core/events.ts";
import { unifiedDiff } from "../src/report/unified-diff.ts";
import { train } from "../src/run/train.ts";
import { startScriptedServer } from "../src/testing/scripted-server/start-scripted-server.ts";
import { hostileTexts } from "./support/hostile-texts.ts";
import { learnableWorld } from "./support/learnable-world.ts";

const isLong = process.env["WHETSTONE_LONG"] === "1";
const seed = isLong ? Date.now() : 14;
const texts = hostileTexts(isLong ? 20_000 : 1200, seed);
const escape = "\u001B";
/** Our own: colours, and the lines that are redrawn. */
const ours = new RegExp(
  `${escape}\\[(?:(?:1|2|22|31|32|33|39)m|\\?25[lh]|\\d+A|0J|K)|\\r(?=${escape}\\[\\d+A|\\n)`,
  "g",
);
/** Written apart from the list that is tested. */
const active =
  /[^\n\t\P{Cc}]|[\u00AD\u034F\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFE00-\uFE0F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]|\p{Cs}/u;
const forged = /^(?:error failed: forged|next: forged|better: forged|ok {4}forged)/m;

/** A terminal of 80×24, or a pipe, that keeps what comes. */
function openStreams(isTTY: boolean) {
  let written = "";
  const stream = () => ({
    ...(isTTY ? { isTTY, columns: 80, rows: 24 } : {}),
    on: () => {},
    write(chunk: string | Uint8Array) {
      written += String(chunk);
      return true;
    },
  });
  const [stdout, stderr] = [stream(), stream()];
  const io = openIo({
    stdout,
    stderr,
    isAnswered: false,
    env: { TERM: "xterm", LANG: "C.UTF-8" },
    cwd: "/",
    program: ["whetstone"],
    stop: new AbortController(),
    typed: (text) => text,
  });
  const taken = () => {
    const text = written;
    written = "";
    return text;
  };
  return { io, stdout, stderr, taken };
}

/** Shows every text by one way, in a terminal and in a pipe, and looks at what came out. */
async function expectPrintable(
  show: (text: string, io: Io, streams: ReturnType<typeof openStreams>) => unknown,
  { mayBreak = false } = {},
): Promise<void> {
  for (const streams of [openStreams(true), openStreams(false)]) {
    for (const text of texts) {
      await show(text, streams.io, streams);
      const plain = streams.taken().replaceAll(ours, "");
      expect(plain.length).toBeGreaterThan(0);
      expect([text, active.exec(plain)?.[0]]).toEqual([text, undefined]);
      if (!mayBreak) expect([text, forged.exec(plain)?.[0]]).toEqual([text, undefined]);
    }
  }
}

const colors = createColors(true);

test("lines of ours that hold any text", () =>
  expectPrintable(
    (text, io) => {
      io.print(`${colors.red(text)} and ${text}`);
      io.warn(colors.dim(text));
      io.show([text, `${colors.bold(text)} ${text}`]);
      io.show([]);
      io.print(facts([[text, `${text} ${colors.green(text)}`]], 40).join("\n"));
    },
    { mayBreak: true },
  ));

test("what a provider says, over a real connection", async () => {
  let said = "";
  await using server = await serve((response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: said, type: "invalid_request_error" } }));
  });
  const model = await resolveModel("local/m", { providers: { local: { baseURL: server.url } }, env: {} });
  const call = { key: "k", signal: new AbortController().signal };
  await expectPrintable(async (text, io) => {
    said = text;
    const error = await model
      .generate({ model: "local/m", messages: [{ role: "user", content: "Hi" }], maxTokens: 5 }, call)
      .then(
        () => expect.unreachable(),
        (thrown: Error) => thrown,
      );
    reportError(new WhetstoneError("provider-refused", `local/m refuses: ${error.message}`), io, []);
  });
});

test("what an agent writes to standard error", () =>
  expectPrintable((text, io) => {
    const reading = { text: "", toolCalls: [], conversation: [], offered: [], loaded: [] };
    const usage = { inputTokens: 0, outputTokens: 0 };
    const run = {
      reading,
      facts: { calls: 0, usage, waitedMs: 0, failures: [], failuresInRow: 0, removed: [] },
      result: { exitCode: 1, stdout: "", stderr: text, ended: "exit", ms: 1 },
      stopped: undefined,
      changed: {},
      pays: "login",
    } as const;
    const limits = { turns: 9, calls: 9, tokens: 9, seconds: 9, memoryMb: 9, processes: 9, diskMb: 9 };
    try {
      judgeRun(claudeCode, run, limits);
    } catch (error) {
      reportError(new WhetstoneError("provider-refused", (error as Error).message), io, []);
    }
  }));

test("events of a run: models, agents, lanes, failures, reasons, tasks, in lines and in the redrawn frame", () => {
  const usual = { step: 1, stage: "rollout", role: "target" } as const;
  return expectPrintable((text, io) => {
    const view = openRunView(io, { json: false, verbose: true, caps: {} });
    const events: EventBody[] = [
      {
        type: "run-start",
        command: "train",
        skill: "s",
        skillName: text,
        skillSize: text,
        models: { target: text },
        tasks: { train: 1, val: 1, test: 0 },
        steps: 2,
        resumed: 0,
        finished: false,
        spent: { nanoUsd: 0, tokens: 0, calls: 0 },
        folder: text,
        settings: { metric: "hard", mixedWeight: 0.5, epochs: 1 },
      },
      { type: "plan", message: text } as EventBody,
      { type: "request-trimmed", agent: text, removed: [text] } as unknown as EventBody,
      { type: "try-failed", key: "c", ...usual, class: "throttle", message: text },
      { type: "lane-change", lane: text, state: "throttled", limit: 4, message: text },
      {
        type: "reply-unusable",
        ...usual,
        reply: "empty",
        message: text,
        next: text,
        tasks: [text],
      } as unknown as EventBody,
      { type: "unit-pending", key: "d", ...usual, message: text } as unknown as EventBody,
      {
        type: "step-end",
        step: 1,
        action: "reject",
        reason: text,
        edits: 1,
        refused: 0,
        incumbent: 0.5,
        best: 0.5,
      },
    ];
    for (const [seq, event] of events.entries())
      view.onEvent({ v: 1, seq, at: seq, run: "0123456789", ...event } as RunEvent);
    view.onGuess(text);
    view.close();
  });
});

test("skill text in diffs and reviews", () =>
  expectPrintable((text, io) => {
    io.print(
      unifiedDiff({ path: "SKILL.md", before: "a\nb\n", after: `a\n${text}\nb` })
        .split("\n")
        .map(paintLine)
        .join("\n"),
    );
    const rule = {
      id: "0123456789",
      edit: { op: "replace", target: text, text },
      origin: "mined",
      status: "stated",
      label: "stated by you",
      provenance: {
        conversations: [{ id: "c", source: text, date: "2026-01-01", words: [text] }],
        tasks: [text],
      },
      nights: [],
      powers: [{ id: "p", kind: "network", item: text }],
      rejection: text,
    } as unknown as Parameters<typeof ruleLines>[0];
    io.print(ruleLines(rule, 1, io.columns).join("\n"));
  }));

test("arguments and values in errors, and errors that nobody foresaw", () =>
  expectPrintable(async (text, io) => {
    const word = text.replaceAll("\0", "");
    const all = [[word], ["train", `--${word}`], ["eval", "--on", word]];
    const args = all[word.length % all.length] ?? [];
    await createProgram(io, "0")
      .parseAsync(["node", "whetstone", ...args])
      .catch((error: unknown) => reportError(error, io, args));
    reportError(new WhetstoneError("config-invalid", `target: ${text}`, { hint: text }), io, []);
    reportError(new Error(text), io, []);
    io.warn(unexpected(new Error(text)));
  }));

test("what workers and a fleet say", () =>
  expectPrintable((text, io) => {
    io.print(
      fleetLines(
        {
          workers: [{ id: text, pid: 1, running: 0, concurrency: 1, since: 0 }],
          lanes: [],
          parked: [{ run: text, cause: text, at: 0 }],
          unable: [{ worker: text, run: text, lane: text, message: text }],
        } as unknown as Parameters<typeof fleetLines>[0],
        0,
      ).join("\n"),
    );
  }));

test("JSON is the same value, without one active character", () =>
  expectPrintable((text, io, { taken, stdout }) => {
    const value = { [text]: text, list: [text] };
    io.printJson(value);
    const line = taken();
    expect(JSON.parse(line)).toEqual(value);
    expect(line.indexOf("\n")).toBe(line.length - 1);
    stdout.write(line);
  }));

test("what others in this process write, whole or in pieces", () =>
  expectPrintable(
    (text, _, { stdout, stderr }) => {
      const bytes = Buffer.from(text);
      stdout.write(bytes.subarray(0, bytes.length / 2));
      stdout.write(bytes.subarray(bytes.length / 2));
      stderr.write(`${text}\n`);
    },
    { mayBreak: true },
  ));

test("ordinary text stays as it is", () => {
  const { io, taken } = openStreams(false);
  const plain = [
    "👩‍🚀 ❤\uFE0F 1\uFE0F\u20E3 🇩🇪 👍🏽",
    "e\u0301 ñ",
    "می\u200Cخواهم",
    "क्\u200Dष",
    "日本語 한국어",
    "עברית",
    "a\tb",
    "crlf\r",
    "+\uFEFFbom",
  ].join("\n");
  io.print(plain);
  expect(taken()).toBe(`${plain}\n`);
});

/** Whoever writes past the funnel: the streams, the console, or a child that has our terminal. */
const writers =
  /process\.(?:stdout|stderr|_rawDebug)|\bconsole\.\w+\(|["']\/dev\/(?:tty|stdout|stderr)|stdio: "inherit"|\bfrom "node:(?:console|tty)"|(?:writeSync|createWriteStream)\([12]\b/;

test("nobody writes to the terminal but the funnel", () => {
  const root = join(import.meta.dirname, "../src");
  const found = globSync("**/*.ts", { cwd: root })
    .filter((file) => !/test\.ts$/.test(file))
    .filter((file) =>
      readFileSync(join(root, file), "utf8")
        .split("\n")
        .some((line) => writers.test(line) && !/^\s*(?:\/?\*|\/\/)/.test(line)),
    );
  expect(found.toSorted()).toEqual([
    // runs inside the box: what it says is the agent's standard error
    "adapters/sandboxes/bridge.ts",
    // a rule of the profile, no writer
    "adapters/sandboxes/seatbelt.ts",
    "apps/cli/colors.ts",
    "apps/cli/main.ts",
    // the person's editor
    "apps/cli/prompt.ts",
  ]);
  expect(readFileSync(join(root, "apps/cli/colors.ts"), "utf8")).not.toContain(".write(");
});

const cli = join(import.meta.dirname, "../src/apps/cli/main.ts");

test("in a real terminal the title, the clipboard, the screen and the cursor stay as they were", {
  timeout: 120_000,
}, async () => {
  await using models = await refusingServer();
  await using redis = await refusingRedis();
  const dir = await tempDir(await hostileProject(models.url));
  const env = { PATH: process.env["PATH"] ?? "", HOME: dir, LANG: "C.UTF-8", TERM: "tmux-256color" };
  await using terminal = await openTerminal({
    columns: 120,
    rows: 40,
    cwd: dir,
    env,
    config: join(dir, "tmux.conf"),
  });
  await terminal.tmux("select-pane", "-T", "title as it was");
  await terminal.tmux("set-buffer", "clipboard as it was");
  const look = async () => ({
    pane: await terminal.tmux(
      "display-message",
      "-p",
      "#{pane_title} #{window_name} #{alternate_on} #{cursor_flag} #{insert_flag} #{wrap_flag} #{origin_flag} #{mouse_any_flag} #{bracket_paste_flag} #{keypad_flag} #{scroll_region_upper}-#{scroll_region_lower}",
    ),
    clipboard: (await terminal.tmux("show-buffer")).trim(),
  });
});
