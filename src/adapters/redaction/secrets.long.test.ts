import { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { resolveModel } from "../models/providers.ts";
import { createRedactor } from "./create-redactor.ts";
import { redactingModel } from "./redacting-model.ts";
import { openSources } from "../transcripts/sources.ts";
import type { Model } from "../../core/ports/model.ts";
import type { Redactor } from "../../core/ports/redactor.ts";
import { seededRandom } from "../../core/random.ts";
import type { RawConversation } from "../../core/ports/conversation.ts";
import { conversationText } from "../../sleep/mine/conversation-text.ts";
import { redactConversation } from "../../sleep/night/ingest.ts";
import { previewLines, previewNight } from "../../sleep/preview.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { longTest } from "../../../test/support/long-test.ts";
import { type ProofOptions, type ProofResult, numberOption } from "../../../test/support/proof.ts";
import { escapesOf, isSeen } from "../../../test/support/secrets/escapes.ts";
import { hardTexts } from "../../../test/support/secrets/hard-texts.ts";
import { type OrdinaryTexts, ordinaryTexts } from "../../../test/support/secrets/ordinary-texts.ts";
import { type UnmarkedSample, unmarkedSamples } from "../../../test/support/secrets/unmarked-corpus.ts";
import {
  type VendorSample,
  countFormats,
  vendorSamples,
} from "../../../test/support/secrets/vendor-corpus.ts";
import { fallsShort } from "../../../test/support/rate-bar.ts";
import { filesIn } from "../../../test/support/look-at-folder.ts";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";

const claim =
  "Vendors' secrets and secrets in prose in ten languages (≥ 99%), and known values (all), don't reach disk, prompts or reports. At most 0.1% of ordinary lines change.";

longTest(claim, proveSecrets, ["--untimed"]);

/** Of processor time, for a text of 300 kB and less: half a second on a quiet machine, and several times that on a slow and busy one. */
const mostMs = 4000;

type Log = ProofOptions["log"];

async function proveSecrets({ short, args, log }: ProofOptions): Promise<ProofResult> {
  const seed = numberOption(args, "seed", 1);
  log(`seed ${seed}`);
  const vendors = await proveVendors(vendorSamples(seed, numberOption(args, "each", short ? 2 : 16)), log);
  const unmarked = await proveUnmarked(
    unmarkedSamples(seed, numberOption(args, "each", short ? 2 : 24)),
    log,
  );
  const known = await proveKnown(seed, log);
  const ordinary = await proveOrdinary(ordinaryTexts(seed, short ? 40 : 1500), log);
  const speed = await proveSpeed(short ? 60_000 : 300_000, log);
  const ok =
    vendors.formats >= 60 &&
    vendors.samples >= 200 &&
    vendors.missed <= 0.01 * vendors.samples &&
    unmarked.short === 0 &&
    known.planted > 0 &&
    known.seen === 0 &&
    ordinary.total <= 0.001 &&
    ordinary.short === 0 &&
    (speed.worstMs <= mostMs || args.includes("--untimed"));
  return {
    ok,
    figures: { seed, vendors, unmarked, known, ordinary, speed },
  };
}

/** All that leaves the memory: files of a night, and what the provider was sent. */
interface Outlet extends AsyncDisposable {
  readonly model: Model;
  /** The way of a conversation through a night, as far as its texts go. */
  send(raw: RawConversation, redactor: Redactor): Promise<void>;
  /** Everything that came out, one text for each file and prompt. */
  collect(): readonly string[];
}

async function openOutlet(): Promise<Outlet> {
  const folder = temporaryDirectory("secrets");
  const server = await startScriptedServer({ seed: 1, world: { reply: () => ({ text: "[]" }) } });
  const providers = { scripted: { baseURL: `${server.url}/v1` } };
  const model = await resolveModel("scripted/miner", { env: {}, providers });
  let files = 0;
  const write = (name: string, text: string) => {
    files += 1;
    writeFileSync(join(folder.path, `${files}-${name}`), text);
  };
  return {
    model,
    async send(raw, redactor) {
      const digest = await redactConversation(raw, redactor);
      write("digest.json", JSON.stringify(digest));
      const shown = await previewNight({
        conversations: [digest],
        documents: [],
        memories: [],
        state: { archive: [], wishes: [], rules: [] },
        redactor,
      });
      write("preview.txt", previewLines(shown).join("\n"));
      // a report may quote what a model said of the raw words: it is looked through once more
      write(
        "report.md",
        (await redactor.redact(`# Night\n\n${JSON.stringify(raw.turns, undefined, 2)}`)).text,
      );
      const ask = (content: string) =>
        redactingModel(model, redactor).generate(
          { model: model.id, system: "Find tasks.", messages: [{ role: "user", content }], maxTokens: 100 },
          { key: `${raw.id} ${content.length}`, signal: new AbortController().signal },
        );
      await ask(conversationText(digest));
      // the second scan: a prompt that was made past the first
      for (const { prompt, answer } of raw.turns) await ask(`${prompt}\n\n${answer}`);
    },
    collect: () => [
      ...filesIn(folder.path).map((path) => readFileSync(join(folder.path, path), "utf8")),
      ...server.calls.map(({ request }) =>
        [request.system, ...request.messages.map(({ content }) => content)].join("\n"),
      ),
    ],
    async [Symbol.asyncDispose]() {
      await server.close();
      folder[Symbol.dispose]();
    },
  };
}

async function proveVendors(samples: readonly VendorSample[], log: Log) {
  const redactor = await createRedactor({ env: {} });
  const missed: VendorSample[] = [];
  for (const group of chunksOf(samples, 12)) {
    await using outlet = await openOutlet();
    await outlet.send(conversationOf(group.map(({ text }) => text)), redactor);
    const out = outlet.collect().join("\n");
    for (const sample of group) {
      if (!isLeft(sample, sample.text))
        throw new Error(`${sample.format} in ${sample.place} could not be seen if it were there`);
      if (isLeft(sample, out)) missed.push(sample);
    }
  }
  log(
    `${countFormats()} vendor formats, ${samples.length} samples in prose, files, addresses, code and logs: ${missed.length} came through`,
  );
  for (const { format, place } of missed) log(`  missed: ${format}, in ${place}`);
  return { formats: countFormats(), samples: samples.length, missed: missed.length };
}

/** Secrets without a form of their own, by what gives them away. */
async function proveUnmarked(samples: readonly UnmarkedSample[], log: Log) {
  const groups = [...Map.groupBy(samples, ({ kind }) => kind)];
  let [missed, short] = [0, 0];
  for (const [kind, all] of groups) {
    let own = 0;
    for (const { secret, text } of all) {
      // a redactor each: what one text gave away is known in the next
      const redactor = await createRedactor({ env: {} });
      const out = (await redactor.redact(text)).text;
      if (out.includes(secret.slice(0, -1)) || out.includes(secret.slice(-8))) own += 1;
    }
    const isShort = fallsShort(
      { hits: all.length - own, trials: all.length },
      { least: 0.99 },
      groups.length,
    );
    log(`told, ${kind}: ${own} of ${all.length} came through${isShort ? " (short of 99%)" : ""}`);
    missed += own;
    if (isShort) short += 1;
  }
  return { kinds: groups.length, samples: samples.length, missed, short };
}

/** Whether any ten characters of what was drawn for it can be seen. */
function isLeft({ pieces }: VendorSample, out: string): boolean {
  return pieces.some((piece) => {
    for (let at = 0; at + 10 <= piece.length; at += 1)
      if (out.includes(piece.slice(at, at + 10))) return true;
    return false;
  });
}

const conversationOf = (texts: readonly string[]): RawConversation => ({
  id: "codex:planted",
  source: "codex",
  project: "/home/dev/project",
  branch: "main",
  startedAt: 0,
  endedAt: 1,
  turns: texts.map((text, at) =>
    at % 2 === 0 ? { prompt: text, answer: "Done." } : { prompt: "Look.", answer: text },
  ),
  tools: ["shell"],
  skills: [],
  files: ["a.ts"],
  toolOutputs: texts,
});

/** Values that this person has in variables and files, planted into recorded conversations of three agents in every escape. */
async function proveKnown(seed: number, log: Log) {
  using home = temporaryDirectory("secrets-home");
  const random = seededRandom("known", seed);
  const draw = (length: number, alphabet: string) =>
    Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
  const letters = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  const word = () => `${draw(5, letters)}7${draw(4, `${letters}&/+=!`)}"${draw(4, letters)}`;
  const values = {
    env: word(),
    dotenv: draw(14, letters),
    aws: draw(40, `${letters}/+`),
    netrc: draw(12, letters),
    gh: draw(36, letters),
    claude: draw(60, `${letters}-_`),
    codex: draw(48, letters),
    npm: draw(20, letters),
    password: `${draw(6, letters)}3`,
  };
  const project = join(home.path, "work");
  const files: Record<string, string> = {
    "work/.env.production": `API_SECRET=${values.dotenv}\nPORT=3000\n`,
    ".aws/credentials": `[default]\naws_secret_access_key = ${values.aws}\n`,
    ".netrc": `machine git.example.org\n  login dev\n  password ${values.netrc}\n`,
    ".config/gh/hosts.yml": `github.com:\n    user: dev\n    oauth_token: ${values.gh}\n`,
    ".claude/.credentials.json": JSON.stringify({ claudeAiOauth: { accessToken: values.claude } }),
    ".codex/auth.json": JSON.stringify({ tokens: { access_token: values.codex } }),
    ".npmrc": `//npm.example.org/:_authToken=${values.npm}\n`,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home.path, path)), { recursive: true });
    writeFileSync(join(home.path, path), text);
    chmodSync(join(home.path, path), 0o600);
  }
  const redactor = await createRedactor({
    env: { SERVICE_TOKEN: values.env, DB_PASSWORD: values.password },
    project,
    home: home.path,
  });

  let [planted, conversations] = [0, 0];
  const seen: string[] = [];
  await using outlet = await openOutlet();
  for (const [owner, value] of Object.entries(values)) {
    // a short one has too few characters to be told from chance in base64 or over a line's end
    const forms = escapesOf(value).filter(
      ({ name }) => value.length >= 12 || /^(?:plain|json|url|html)/.test(name),
    );
    const blind = forms.find(({ text }) => !isSeen(value, text));
    if (blind !== undefined) throw new Error(`${blind.name}: it could not be seen if it were there`);
    const raws = await readPlanted(forms.map(({ name, text }) => `${name}: ${text} .`).join("\n\n"));
    for (const raw of raws) {
      conversations += 1;
      planted += forms.filter(({ text }) =>
        JSON.stringify(raw).includes(JSON.stringify(text).slice(1, -1)),
      ).length;
      await outlet.send(raw, redactor);
    }
    for (const text of outlet.collect()) if (isSeen(value, text)) seen.push(owner);
  }
  log(
    `${Object.keys(values).length} known values in ${planted} places of ${conversations} recorded conversations: ${seen.length} outputs show one${seen.length === 0 ? "" : ` (${[...new Set(seen)].join(", ")})`}`,
  );
  return { values: Object.keys(values).length, planted, conversations, seen: seen.length };
}

/** The recorded conversations of Claude Code, Codex and pi, with a text in place of what was typed. */
async function readPlanted(text: string): Promise<readonly RawConversation[]> {
  using home = temporaryDirectory("secrets-agents");
  const recorded = join(import.meta.dirname, "../../../test/fixtures/transcripts");
  const agents = { "claude-code": ".claude", codex: ".codex", pi: ".pi/agent" };
  const typed = JSON.stringify(text).slice(1, -1);
  for (const [agent, folder] of Object.entries(agents)) {
    cpSync(join(recorded, agent), join(home.path, folder), { recursive: true });
    for (const entry of readdirSync(join(home.path, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || !path.endsWith(".jsonl")) continue;
      writeFileSync(
        path,
        readFileSync(path, "utf8").replaceAll("Write hello.txt using npm", () => typed),
      );
    }
  }
  const found: RawConversation[] = [];
  for (const source of openSources({ home: home.path, env: {} }, ["claude-code", "codex", "pi"])) {
    for (const ref of await source.list({ project: "/home/dev/project", since: 0 })) {
      const raw = await source.read(ref);
      if (!("skipped" in raw) && raw.turns.some(({ prompt }) => prompt.includes("plain: "))) found.push(raw);
    }
  }
  return found;
}

async function proveOrdinary(kinds: readonly OrdinaryTexts[], log: Log) {
  const results: { name: string; lines: number; altered: number; share: number }[] = [];
  for (const { name, texts } of kinds) {
    const redactor = await createRedactor({ env: {} });
    let [lines, altered] = [0, 0];
    for (const text of texts) {
      const before = new Set(text.split("\n"));
      lines += text.split("\n").length;
      const after = (await redactor.redact(text)).text.split("\n");
      altered += after.filter((line) => !before.has(line)).length;
    }
    const share = Math.round((1e6 * altered) / lines) / 1e6;
    log(`ordinary lines, ${name}: ${altered} of ${lines} altered (${(100 * share).toFixed(3)}%)`);
    results.push({ name, lines, altered, share });
  }
  const sum = (of: "lines" | "altered") => results.reduce((total, each) => total + each[of], 0);
  const total = Math.round((1e6 * sum("altered")) / sum("lines")) / 1e6;
  const short = results.filter(({ lines, altered }) =>
    fallsShort({ hits: altered, trials: lines }, { most: 0.001 }, results.length),
  );
  log(`ordinary lines in all: ${(100 * total).toFixed(3)}% of ${sum("lines")} altered`);
  for (const { name } of short) log(`  more than 0.1%: ${name}`);
  return { total, short: short.length, kinds: results };
}

/** Processor time, since the wall clock of a busy machine says nothing. */
async function proveSpeed(size: number, log: Log) {
  const env = Object.fromEntries(vendorSamples(0, 1).map(({ secret }, at) => [`TOKEN_${at}_SECRET`, secret]));
  const redactor = await createRedactor({ env });
  const source = readFileSync(join(import.meta.dirname, "../../config/schema.ts"), "utf8");
  const usual = JSON.stringify(source.repeat(20)).slice(0, 200_000);
  const time = async (text: string) => {
    const before = process.cpuUsage();
    await redactor.redact(text);
    const { user, system } = process.cpuUsage(before);
    return Math.round((user + system) / 1000);
  };
  await time(usual);
  const usualMs = await time(usual);
  let worst = { ms: 0, piece: "" };
  for (const { piece, text } of hardTexts(size)) {
    let ms = await time(text);
    // once more where the machine may have been busy with something else
    for (let again = 0; ms > mostMs && again < 2; again += 1) ms = Math.min(ms, await time(text));
    if (ms > worst.ms) worst = { ms, piece };
  }
  log(
    `source of 200 kB and hard texts of ${size / 1000} kB against ${Object.keys(env).length} known values: ${usualMs} ms, the slowest of ${hardTexts(1).length} hard texts ${worst.ms} ms (${JSON.stringify(worst.piece.slice(0, 20))} over and over)`,
  );
  return { usualMs, worstMs: worst.ms };
}

function chunksOf<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}
