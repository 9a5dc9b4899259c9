import { createHmac } from "node:crypto";
import { crc32 } from "node:zlib";
import { seededRandom } from "../../../src/core/random.ts";

/** One drawn secret of a vendor's format in a text as people and agents write them. */
export interface VendorSample {
  readonly format: string;
  readonly place: string;
  readonly secret: string;
  /** The pieces of it that were drawn: none of them may be seen again. */
  readonly pieces: readonly string[];
  readonly text: string;
}

/** Every format in `each` of the places, drawn from a seed. No secret is written down: all are built from parts. */
export function vendorSamples(seed: number, each: number): readonly VendorSample[] {
  return formats.flatMap(({ name, variable, draw, bare }, index) =>
    Array.from({ length: each }, (_, at) => {
      const random = seededRandom("secrets", seed, name, at);
      const drawn: string[] = [];
      const secret = draw(drawer(random, drawn));
      const fitting = bare ? places : places.filter(({ named }) => named);
      const place = fitting[(index + at * 5) % fitting.length] ?? places[0];
      if (place === undefined) throw new Error("no place");
      const inside = drawn.filter((piece) => piece.length >= 10 && secret.includes(piece));
      const longest = secret.split("\n").toSorted((a, b) => b.length - a.length)[0] ?? "";
      const pieces = inside.length > 0 ? inside : [longest.slice(-40)];
      return { format: name, place: place.name, secret, pieces, text: place.write(secret, variable) };
    }),
  );
}

export const countFormats = (): number => formats.length;

interface Place {
  readonly name: string;
  /** The secret stands after its name, so that formats without a form of their own can be told. */
  readonly named: boolean;
  readonly write: (secret: string, variable: string) => string;
}

const camel = (variable: string): string =>
  variable.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

const places: readonly Place[] = [
  {
    name: "shell",
    named: true,
    write: (secret, name) => `I ran\nexport ${name}=${secret}\nnpm run deploy\nand it failed.`,
  },
  {
    name: "prose",
    named: false,
    write: (secret) => `Please use ${secret} for the calls, it is the new one.`,
  },
  {
    name: "env file",
    named: true,
    write: (secret, name) => `NODE_ENV=production\n${name}="${secret}"\nPORT=3000\n`,
  },
  {
    name: "json",
    named: true,
    write: (secret, name) => JSON.stringify({ region: "eu", [camel(name)]: secret, retries: 3 }),
  },
  {
    name: "json in json",
    named: true,
    write: (secret, name) => JSON.stringify({ stdout: JSON.stringify({ [name]: secret }) }),
  },
  {
    name: "yaml",
    named: true,
    write: (secret, name) =>
      `services:\n  api:\n    environment:\n      ${name}: ${secret}\n    ports: [80]\n`,
  },
  {
    name: "url",
    named: false,
    write: (secret) =>
      `GET https://api.example.org/v1/things?limit=5&k=${encodeURIComponent(secret)}&page=2 gave 403`,
  },
  {
    name: "code fence",
    named: true,
    write: (secret, name) =>
      `Here:\n\`\`\`ts\nconst client = connect({ ${camel(name)}: "${secret}" });\n\`\`\`\n`,
  },
  { name: "escaped log", named: false, write: (secret) => `"output":"ok\\n${secret}\\ndone\\t(2 s)"` },
  { name: "markdown", named: false, write: (secret) => `- the value: \`${secret}\`\n- nothing else` },
  {
    name: "header",
    named: true,
    write: (secret) => `curl -s -H "Authorization: Bearer ${secret}" https://api.example.org/`,
  },
  {
    name: "option",
    named: true,
    write: (secret, name) => `tool login --${name.toLowerCase().replaceAll("_", "-")} ${secret} --yes`,
  },
  { name: "bare line", named: false, write: (secret) => `$ cat secret.txt\n${secret}\n$` },
  { name: "python", named: true, write: (secret, name) => `os.environ['${name}'] = '${secret}'\nrun()` },
  {
    name: "xml",
    named: true,
    write: (secret, name) => `<settings><${camel(name)}>${secret}</${camel(name)}></settings>`,
  },
  {
    name: "table cell",
    named: false,
    write: (secret) => `| name | value |\n|---|---|\n| prod | ${secret} |\n`,
  },
  { name: "list of arguments", named: false, write: (secret) => `run(["tool", "login", "${secret}"])` },
  { name: "two words", named: true, write: (secret) => `The api key is ${secret}. Keep it.` },
];

interface Format {
  readonly name: string;
  /** The variable in which people keep it. */
  readonly variable: string;
  readonly draw: (of: Drawer) => string;
  /** Whether its form alone tells. */
  readonly bare: boolean;
}

interface Drawer {
  readonly hex: (length: number) => string;
  readonly upper: (length: number) => string;
  readonly lower: (length: number) => string;
  readonly alnum: (length: number) => string;
  readonly url: (length: number) => string;
  readonly digits: (length: number) => string;
  readonly base64: (bytes: number) => string;
  readonly uuid: () => string;
  readonly of: (alphabet: string, length: number) => string;
}

const lower = "abcdefghijklmnopqrstuvwxyz";
const upper = lower.toUpperCase();
const digits = "0123456789";

function drawer(random: () => number, drawn: string[]): Drawer {
  const note = (text: string): string => {
    drawn.push(text);
    return text;
  };
  const of = (alphabet: string, length: number) =>
    note(Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join(""));
  const hex = (length: number) => of("0123456789abcdef", length);
  return {
    of,
    hex,
    upper: (length) => of(upper + digits, length),
    lower: (length) => of(lower + digits, length),
    alnum: (length) => of(lower + upper + digits, length),
    url: (length) => of(`${lower}${upper}${digits}_-`, length - 1) + of(lower, 1),
    digits: (length) => of("123456789", 1) + of(digits, length - 1),
    base64: (bytes) =>
      note(Buffer.from(Array.from({ length: bytes }, () => Math.floor(random() * 256))).toString("base64")),
    uuid: () => note([8, 4, 4, 4, 12].map((length) => hex(length)).join("-")),
  };
}

const format = (name: string, variable: string, draw: Format["draw"], bare = true): Format => ({
  name,
  variable,
  draw,
  bare,
});

/** The last six characters are the checksum of the rest, in base 62, as GitHub and npm have it. */
function withChecksum(prefix: string, body: string): string {
  const alphabet = digits + upper + lower;
  let [sum, text] = [crc32(body), ""];
  for (let at = 0; at < 6; at += 1) {
    text = (alphabet[sum % 62] ?? "0") + text;
    sum = Math.floor(sum / 62);
  }
  return `${prefix}${body}${text}`;
}

const part = (...pieces: readonly string[]): string => pieces.join("");
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function signedToken(of: Drawer): string {
  const body = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ sub: of.digits(9), name: of.alnum(8), iat: 1_700_000_000 })}`;
  return `${body}.${createHmac("sha256", of.hex(32)).update(body).digest("base64url")}`;
}

function privateKey(of: Drawer, kind: string, magic: string, bytes: number): string {
  const dashes = "-".repeat(5);
  const body = (magic + of.base64(bytes)).match(/.{1,64}/g)?.join("\n") ?? "";
  return `${dashes}BEGIN ${part(kind, "PRIVATE")} KEY${dashes}\n${body}\n${dashes}END ${part(kind, "PRIVATE")} KEY${dashes}`;
}

const formats: readonly Format[] = [
  format("AWS access key id", "AWS_ACCESS_KEY_ID", (of) => part("AK", "IA") + of.of(`${upper}234567`, 16)),
  format("AWS temporary key id", "AWS_ACCESS_KEY_ID", (of) => part("AS", "IA") + of.of(`${upper}234567`, 16)),
  format(
    "AWS secret access key",
    "AWS_SECRET_ACCESS_KEY",
    (of) => of.of(`${lower}${upper}${digits}+/`, 40),
    false,
  ),
  format("GitHub classic", "GITHUB_TOKEN", (of) => withChecksum(part("gh", "p_"), of.alnum(30))),
  format("GitHub OAuth", "GITHUB_TOKEN", (of) => withChecksum(part("gh", "o_"), of.alnum(30))),
  format("GitHub server", "GITHUB_TOKEN", (of) => withChecksum(part("gh", "s_"), of.alnum(30))),
  format("GitHub refresh", "GITHUB_TOKEN", (of) => withChecksum(part("gh", "r_"), of.alnum(70))),
  format(
    "GitHub fine-grained",
    "GITHUB_TOKEN",
    (of) => `${part("github", "_pat_")}${of.alnum(22)}_${of.alnum(59)}`,
  ),
  format("GitLab personal", "GITLAB_TOKEN", (of) => part("gl", "pat-") + of.url(20)),
  format("GitLab runner", "GITLAB_RUNNER_TOKEN", (of) => part("gl", "rt-") + of.url(20)),
  format("GitLab deploy", "GITLAB_DEPLOY_TOKEN", (of) => part("gl", "dt-") + of.url(20)),
  format("Bitbucket app password", "BITBUCKET_PASSWORD", (of) => part("AT", "BB") + of.alnum(32)),
  format(
    "Atlassian",
    "JIRA_API_TOKEN",
    (of) => part("ATA", "TT3") + of.url(180) + `=${of.hex(8).toUpperCase()}`,
  ),
  format("Hugging Face", "HF_TOKEN", (of) => part("h", "f_") + of.of(lower + upper, 34)),
  format("npm", "NPM_TOKEN", (of) => withChecksum(part("np", "m_"), of.alnum(30))),
  format("PyPI", "PYPI_TOKEN", (of) => part("py", "pi-AgEIcHlwaS5vcmc") + of.url(120)),
  format("RubyGems", "GEM_HOST_API_KEY", (of) => part("ruby", "gems_") + of.hex(48)),
  format("crates.io", "CARGO_REGISTRY_TOKEN", (of) => part("ci", "o") + of.alnum(32)),
  format("NuGet", "NUGET_API_KEY", (of) => part("oy", "2") + of.lower(43)),
  format("Clojars", "CLOJARS_TOKEN", (of) => part("CLO", "JARS_") + of.lower(60)),
  format("Stripe live", "STRIPE_SECRET_KEY", (of) => part("sk", "_live_") + of.alnum(24)),
  format("Stripe long", "STRIPE_SECRET_KEY", (of) => part("sk", "_live_") + of.alnum(99)),
  format("Stripe restricted", "STRIPE_KEY", (of) => part("rk", "_live_") + of.alnum(24)),
  format("Stripe test", "STRIPE_SECRET_KEY", (of) => part("sk", "_test_") + of.alnum(24)),
  format("Stripe webhook", "STRIPE_WEBHOOK_SECRET", (of) => part("wh", "sec_") + of.alnum(32)),
  format(
    "Slack bot",
    "SLACK_BOT_TOKEN",
    (of) => `${part("xo", "xb-")}${of.digits(12)}-${of.digits(13)}-${of.alnum(24)}`,
  ),
  format(
    "Slack user",
    "SLACK_TOKEN",
    (of) => `${part("xo", "xp-")}${of.digits(12)}-${of.digits(12)}-${of.digits(13)}-${of.hex(32)}`,
  ),
  format(
    "Slack app",
    "SLACK_APP_TOKEN",
    (of) => `${part("xa", "pp-")}1-A${of.upper(10)}-${of.digits(13)}-${of.hex(64)}`,
  ),
  format(
    "Slack webhook",
    "SLACK_WEBHOOK",
    (of) =>
      `https://hooks.slack.com/${part("serv", "ices")}/T${of.upper(8)}/B${of.upper(10)}/${of.alnum(24)}`,
  ),
  format("Google API", "GOOGLE_API_KEY", (of) => part("AI", "za") + of.url(35)),
  format("Google OAuth client", "GOOGLE_CLIENT_SECRET", (of) => part("GOC", "SPX-") + of.url(28)),
  format("Google access", "GOOGLE_ACCESS_TOKEN", (of) => part("ya", "29.a0") + of.url(140)),
  format("Google refresh", "GOOGLE_REFRESH_TOKEN", (of) => part("1/", "/0") + of.url(60)),
  format("SendGrid", "SENDGRID_API_KEY", (of) => `${part("S", "G.")}${of.url(22)}.${of.url(43)}`),
  format("Mailgun", "MAILGUN_API_KEY", (of) => part("ke", "y-") + of.hex(32)),
  format("Mailchimp", "MAILCHIMP_API_KEY", (of) => `${of.hex(32)}-us${of.digits(2)}`),
  format("Brevo", "BREVO_API_KEY", (of) => `${part("xkey", "sib-")}${of.hex(64)}-${of.alnum(16)}`),
  format("Resend", "RESEND_API_KEY", (of) => `${part("r", "e_")}${of.alnum(8)}_${of.alnum(24)}`),
  format("Twilio key", "TWILIO_API_KEY", (of) => part("S", "K") + of.hex(32)),
  format("Twilio auth token", "TWILIO_AUTH_TOKEN", (of) => of.hex(32), false),
  format(
    "Discord bot",
    "DISCORD_TOKEN",
    (of) => `${Buffer.from(of.digits(18)).toString("base64url")}.G${of.alnum(5)}.${of.url(38)}`,
  ),
  format(
    "Discord webhook",
    "DISCORD_WEBHOOK",
    (of) => `https://discord.com/${part("api/", "webhooks")}/${of.digits(18)}/${of.url(68)}`,
  ),
  format("Telegram bot", "TELEGRAM_BOT_TOKEN", (of) => `${of.digits(10)}:${part("A", "A")}${of.url(33)}`),
  format("DigitalOcean", "DIGITALOCEAN_TOKEN", (of) => part("do", "p_v1_") + of.hex(64)),
  format("JWT", "ACCESS_TOKEN", signedToken),
  format(
    "OpenAI project",
    "OPENAI_API_KEY",
    (of) => `${part("sk", "-proj-")}${of.url(74)}${part("T3Blbk", "FJ")}${of.url(74)}`,
  ),
  format(
    "OpenAI legacy",
    "OPENAI_API_KEY",
    (of) => `${part("s", "k-")}${of.alnum(20)}${part("T3Blbk", "FJ")}${of.alnum(20)}`,
  ),
  format(
    "OpenAI service account",
    "OPENAI_API_KEY",
    (of) => `${part("sk", "-svcacct-")}${of.url(58)}${part("T3Blbk", "FJ")}${of.url(58)}`,
  ),
  format("Anthropic", "ANTHROPIC_API_KEY", (of) => `${part("sk", "-ant-api03-")}${of.url(93)}AA`),
  format("Anthropic login", "CLAUDE_CODE_OAUTH_TOKEN", (of) => `${part("sk", "-ant-oat01-")}${of.url(93)}AA`),
  format("OpenRouter", "OPENROUTER_API_KEY", (of) => part("sk", "-or-v1-") + of.hex(64)),
  format("DeepSeek", "DEEPSEEK_API_KEY", (of) => part("s", "k-") + of.hex(32)),
  format("Groq", "GROQ_API_KEY", (of) => part("gs", "k_") + of.alnum(52)),
  format("xAI", "XAI_API_KEY", (of) => part("xa", "i-") + of.alnum(80)),
  format("Perplexity", "PERPLEXITY_API_KEY", (of) => part("pp", "lx-") + of.alnum(48)),
  format("Replicate", "REPLICATE_API_TOKEN", (of) => part("r", "8_") + of.alnum(37)),
  format("Fireworks", "FIREWORKS_API_KEY", (of) => part("f", "w_") + of.alnum(22)),
  format("NVIDIA", "NVIDIA_API_KEY", (of) => part("nv", "api-") + of.url(64)),
  format("Cerebras", "CEREBRAS_API_KEY", (of) => part("cs", "k-") + of.lower(48)),
  format("LangSmith", "LANGSMITH_API_KEY", (of) => `${part("ls", "v2_pt_")}${of.hex(32)}_${of.hex(10)}`),
  format("Langfuse", "LANGFUSE_SECRET_KEY", (of) => part("sk", "-lf-") + of.uuid()),
  format("Pinecone", "PINECONE_API_KEY", (of) => `${part("pc", "sk_")}${of.alnum(6)}_${of.alnum(62)}`),
  format("Tavily", "TAVILY_API_KEY", (of) => part("tv", "ly-dev-") + of.alnum(32)),
  format("ElevenLabs", "ELEVENLABS_API_KEY", (of) => part("s", "k_") + of.hex(48)),
  format("Databricks", "DATABRICKS_TOKEN", (of) => part("da", "pi") + of.hex(32)),
  format("Vault service", "VAULT_TOKEN", (of) => part("hv", "s.") + of.url(92)),
  format("Terraform Cloud", "TF_TOKEN", (of) => `${of.alnum(14)}.${part("atlas", "v1")}.${of.url(66)}`),
  format("Doppler", "DOPPLER_TOKEN", (of) => part("d", "p.pt.") + of.alnum(43)),
  format("Pulumi", "PULUMI_ACCESS_TOKEN", (of) => part("pu", "l-") + of.hex(40)),
  format("Heroku", "HEROKU_API_KEY", (of) => part("HR", "KU-AA") + of.url(58)),
  format("Heroku old", "HEROKU_API_KEY", (of) => of.uuid(), false),
  format("Netlify", "NETLIFY_AUTH_TOKEN", (of) => part("nf", "p_") + of.alnum(36)),
  format("Vercel", "VERCEL_TOKEN", (of) => part("vc", "p_") + of.alnum(56)),
  format("Vercel old", "VERCEL_TOKEN", (of) => of.alnum(24), false),
  format("Render", "RENDER_API_KEY", (of) => part("rn", "d_") + of.alnum(32)),
  format("Fly", "FLY_API_TOKEN", (of) => part("fo", "1_") + of.url(43)),
  format("Supabase", "SUPABASE_ACCESS_TOKEN", (of) => part("sb", "p_") + of.hex(40)),
  format("Supabase secret", "SUPABASE_SECRET_KEY", (of) => part("sb", "_secret_") + of.url(31)),
  format("PlanetScale", "PLANETSCALE_TOKEN", (of) => part("pscale", "_tkn_") + of.url(43)),
  format("Neon", "NEON_API_KEY", (of) => part("na", "pi_") + of.lower(64)),
  format("Cloudflare old", "CLOUDFLARE_API_TOKEN", (of) => of.url(40), false),
  format("Linear", "LINEAR_API_KEY", (of) => part("lin", "_api_") + of.alnum(40)),
  format("Notion", "NOTION_TOKEN", (of) => part("nt", "n_") + of.digits(11) + of.alnum(35)),
  format("Notion old", "NOTION_TOKEN", (of) => part("sec", "ret_") + of.alnum(43)),
  format("Figma", "FIGMA_TOKEN", (of) => part("fi", "gd_") + of.url(40)),
  format("Airtable", "AIRTABLE_TOKEN", (of) => `${part("pa", "t")}${of.alnum(14)}.${of.hex(64)}`),
  format("Asana", "ASANA_TOKEN", (of) => `${part("1", "/")}${of.digits(16)}:${of.hex(32)}`),
  format("ClickUp", "CLICKUP_TOKEN", (of) => `${part("p", "k_")}${of.digits(8)}_${of.upper(32)}`),
  format("Dropbox", "DROPBOX_TOKEN", (of) => part("s", "l.") + of.url(136)),
  format("Shopify", "SHOPIFY_ACCESS_TOKEN", (of) => part("sh", "pat_") + of.hex(32)),
  format("Square", "SQUARE_SECRET", (of) => part("sq", "0csp-") + of.url(43)),
  format("Facebook", "FACEBOOK_ACCESS_TOKEN", (of) => part("EA", "A") + of.alnum(180)),
  format(
    "Braintree",
    "BRAINTREE_TOKEN",
    (of) => `${part("access_", "token")}$production$${of.lower(16)}$${of.hex(32)}`,
  ),
  format("Plaid", "PLAID_ACCESS_TOKEN", (of) => `${part("acc", "ess-")}production-${of.uuid()}`),
  format("New Relic", "NEW_RELIC_API_KEY", (of) => part("NR", "AK-") + of.upper(27)),
  format("Sentry", "SENTRY_AUTH_TOKEN", (of) => part("sn", "trys_") + of.alnum(120)),
  format("Sentry user", "SENTRY_AUTH_TOKEN", (of) => part("sn", "tryu_") + of.hex(64)),
  format(
    "Grafana service account",
    "GRAFANA_TOKEN",
    (of) => `${part("gl", "sa_")}${of.alnum(32)}_${of.hex(8)}`,
  ),
  format("Dynatrace", "DYNATRACE_TOKEN", (of) => `${part("dt", "0c01")}.${of.upper(24)}.${of.upper(64)}`),
  format("Datadog", "DD_API_KEY", (of) => of.hex(32), false),
  format("LaunchDarkly", "LAUNCHDARKLY_SDK_KEY", (of) => part("sd", "k-") + of.uuid()),
  format("PostHog", "POSTHOG_API_KEY", (of) => part("ph", "x_") + of.alnum(43)),
  format("Postman", "POSTMAN_API_KEY", (of) => `${part("PM", "AK-")}${of.hex(24)}-${of.hex(34)}`),
  format("Docker", "DOCKER_TOKEN", (of) => part("dckr", "_pat_") + of.url(27)),
  format("Artifactory", "ARTIFACTORY_API_KEY", (of) => part("AK", "Cp") + of.alnum(69)),
  format("SonarQube", "SONAR_TOKEN", (of) => part("sq", "p_") + of.hex(40)),
  format("Buildkite", "BUILDKITE_TOKEN", (of) => part("bk", "ua_") + of.hex(40)),
  format("CircleCI", "CIRCLECI_TOKEN", (of) => `${part("CCI", "PAT_")}${of.alnum(22)}_${of.hex(40)}`),
  format(
    "age",
    "AGE_SECRET_KEY",
    (of) => part("AGE-SECRET", "-KEY-1") + of.of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
  ),
  format(
    "Tailscale",
    "TAILSCALE_AUTHKEY",
    (of) => `${part("ts", "key-auth-")}${of.alnum(12)}CNTRL-${of.alnum(32)}`,
  ),
  format(
    "1Password service account",
    "OP_SERVICE_ACCOUNT_TOKEN",
    (of) =>
      part("op", "s_") +
      encode({ signInAddress: "my.example.org", userAuth: { method: "SRPg-4096" }, secret: of.alnum(120) }),
  ),
  format(
    "Azure storage key",
    "AZURE_STORAGE_CONNECTION_STRING",
    (of) =>
      `DefaultEndpointsProtocol=https;AccountName=store;${part("Account", "Key")}=${of.base64(64)};EndpointSuffix=core.windows.net`,
  ),
  format(
    "Azure shared access signature",
    "AZURE_URL",
    (of) =>
      `https://store.blob.core.windows.net/box?sv=2024-11-04&sp=r&se=2027-01-01&${part("si", "g")}=${encodeURIComponent(of.base64(32))}`,
  ),
  format(
    "Azure client secret",
    "AZURE_CLIENT_SECRET",
    (of) => `${of.alnum(3)}8${part("Q", "~")}${of.url(34)}`,
  ),
  format("Alibaba", "ALIBABA_ACCESS_KEY_ID", (of) => part("LT", "AI") + of.alnum(20)),
  format("Tencent", "TENCENT_SECRET_ID", (of) => part("AK", "ID") + of.alnum(32)),
  format("Contentful", "CONTENTFUL_TOKEN", (of) => part("CF", "PAT-") + of.url(43)),
  format("HubSpot", "HUBSPOT_TOKEN", (of) => part("pa", "t-na1-") + of.uuid()),
  format("OpenShift", "OPENSHIFT_TOKEN", (of) => part("sha", "256~") + of.url(43)),
  format("Prefect", "PREFECT_API_KEY", (of) => part("pn", "u_") + of.alnum(36)),
  format("Apify", "APIFY_TOKEN", (of) => part("apify", "_api_") + of.alnum(36)),
  format("Razorpay", "RAZORPAY_KEY", (of) => part("rzp", "_live_") + of.alnum(14)),
  format("Artifactory reference", "JFROG_TOKEN", (of) => part("cm", "VmdGtu") + of.alnum(56)),
  format("ClickHouse", "CLICKHOUSE_KEY", (of) => part("4b", "1d") + of.alnum(38)),
  format("Firecrawl", "FIRECRAWL_API_KEY", (of) => part("f", "c-") + of.hex(32)),
  format("Jina", "JINA_API_KEY", (of) => part("ji", "na_") + of.hex(32) + of.alnum(28)),
  format("E2B", "E2B_API_KEY", (of) => part("e2", "b_") + of.hex(40)),
  format("Confluent", "CONFLUENT_SECRET", (of) => part("cf", "lt") + of.alnum(60)),
  format("Weights & Biases", "WANDB_API_KEY", (of) => part("wandb", "_v1_") + of.alnum(70)),
  format("Snyk", "SNYK_TOKEN", (of) => `${part("snyk", "_uat")}.${of.hex(8)}.${of.alnum(80)}`),
  format("Okta", "OKTA_TOKEN", (of) => part("0", "0") + of.url(40)),
  format("Frame.io", "FRAMEIO_TOKEN", (of) => part("fio", "-u-") + of.url(64)),
  format("Zoho", "ZOHO_TOKEN", (of) => `${part("10", "00.")}${of.hex(32)}.${of.hex(32)}`),
  format("Salesforce", "SF_TOKEN", (of) => `${part("0", "0D")}${of.alnum(12)}!${of.alnum(96)}`),
  format("Salesforce consumer", "SF_CONSUMER_KEY", (of) => part("3M", "VG9") + of.alnum(80)),
  format("Grafana API", "GRAFANA_KEY", (of) => encode({ k: of.alnum(32), n: "ci", id: 1 })),
  format("Shippo", "SHIPPO_TOKEN", (of) => part("shippo", "_live_") + of.hex(40)),
  format("Duffel", "DUFFEL_TOKEN", (of) => part("duffel", "_live_") + of.url(43)),
  format("EasyPost", "EASYPOST_KEY", (of) => part("EZ", "AK") + of.alnum(54)),
  format(
    "Harness",
    "HARNESS_TOKEN",
    (of) => `${part("p", "at.")}${of.alnum(22)}.${of.hex(24)}.${of.alnum(20)}`,
  ),
  format("Adafruit IO", "ADAFRUIT_KEY", (of) => part("ai", "o_") + of.alnum(28)),
  format("Deno Deploy", "DENO_TOKEN", (of) => part("dd", "p_") + of.alnum(36)),
  format("Portainer", "PORTAINER_TOKEN", (of) => part("pt", "r_") + of.base64(32)),
  format("Rootly", "ROOTLY_TOKEN", (of) => part("root", "ly_") + of.hex(64)),
  format("Typeform", "TYPEFORM_TOKEN", (of) => part("tf", "p_") + of.url(59)),
  format("ReadMe", "README_KEY", (of) => part("rd", "me_") + of.lower(70)),
  format("Sourcegraph", "SRC_ACCESS_TOKEN", (of) => `${part("sg", "p_")}${of.hex(16)}_${of.hex(40)}`),
  format("MaxMind", "MAXMIND_KEY", (of) => `${of.alnum(6)}_${of.alnum(29)}${part("_m", "mk")}`),
  format("Infracost", "INFRACOST_API_KEY", (of) => part("ic", "o-") + of.alnum(32)),
  format("a vendor nobody knows", "QUUX_KEY", (of) => part("quux", "_live_") + of.alnum(24)),
  format("a hex vendor nobody knows", "QUUX_KEY", (of) => part("qu", "ux_") + of.hex(40)),
  format("RSA key", "PRIVATE_KEY", (of) => privateKey(of, "RSA ", "MIIEpAIBAAKCAQEA", 1170)),
  format("PKCS 8 key", "PRIVATE_KEY", (of) => privateKey(of, "", "MIIEvQIBADANBgkq", 1200)),
  format("EC key", "PRIVATE_KEY", (of) => privateKey(of, "EC ", "MHcCAQEEI", 110)),
  format("OpenSSH key", "PRIVATE_KEY", (of) => privateKey(of, "OPENSSH ", "b3BlbnNzaC1rZXktdjEAAAAA", 380)),
  format(
    "PostgreSQL address",
    "DATABASE_URL",
    (of) => `postgres://app:${of.alnum(18)}@db.internal:5432/main`,
  ),
  format(
    "MongoDB address",
    "MONGO_URL",
    (of) => `mongodb+srv://root:${of.alnum(12)}@cluster0.abcde.mongodb.net/app`,
  ),
  format("Redis address", "REDIS_URL", (of) => `rediss://:${of.alnum(32)}@cache.internal:6379/0`),
  format("AMQP address", "AMQP_URL", (of) => `amqps://worker:${of.alnum(10)}@queue.internal/jobs`),
  format("random password", "DB_PASSWORD", (of) => `${of.alnum(6)}!${of.alnum(5)}%${of.digits(2)}`, false),
  format("random secret", "SESSION_SECRET", (of) => of.base64(32), false),
];
