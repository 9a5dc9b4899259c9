import type { Span } from "./span.ts";

/** One format that a vendor uses for its secrets. */
interface VendorFormat {
  readonly kind: string;
  /** Every secret in this format contains one of these texts. Without them we don't search for it. */
  readonly hints: readonly string[];
  readonly pattern: RegExp;
}

/** Secrets recognized by their form alone. Escapes must have been replaced, so that `\nAKIA…` starts with a blank. */
export function findVendorFormats(softened: string): readonly Span[] {
  const spans: Span[] = [...findPrivateKeys(softened)];
  for (const { kind, hints, pattern } of vendorFormats) {
    if (!hints.some((hint) => softened.includes(hint))) continue;
    for (const match of softened.matchAll(pattern)) {
      const [whole, inner] = match;
      const secret = inner ?? whole;
      const start = match.index + whole.lastIndexOf(secret);
      if (isDrawn(secret)) spans.push({ start, end: start + secret.length, kind });
    }
  }
  return spans;
}

/** Excludes `sk-xxxxxxxxxxxx` and `ghp_0000000000`, as in manuals. */
const isDrawn = (secret: string): boolean => new Set(secret.slice(-20)).size >= 5;

/** The boundaries of a vendor format: what may come before it and what it may not be inside of. */
const format = (kind: string, hints: string, body: string): VendorFormat => ({
  kind,
  hints: hints.split(" "),
  pattern: new RegExp(`(?<![A-Za-z0-9])${body}`, "g"),
});

const uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
/** Divided like a UUID, whatever the vendor generates. */
const groups = "[0-9A-Za-z]{8}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{12}";
const end = "(?![A-Za-z0-9])";

/** Adds to secretlint's preset, and covers what that only finds in one place or length. A group is the secret itself. */
const vendorFormats: readonly VendorFormat[] = [
  format(
    "aws",
    "AKIA ASIA ABIA ACCA AGPA AIDA AROA AIPA ANPA ANVA A3T",
    `A(?:KIA|SIA|BIA|CCA|GPA|IDA|ROA|IPA|NPA|NVA|3T[A-Z0-9])[A-Z0-9]{16}${end}`,
  ),
  format("aws", "ABSK", "ABSK[A-Za-z0-9+/]{80,}={0,2}"),
  format("github", "ghp_ gho_ ghu_ ghs_ ghr_", "gh[pousr]_[A-Za-z0-9_.-]{30,}"),
  // at full length nothing else looks like it, even in the middle of a word
  {
    kind: "github",
    hints: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    pattern: /gh[pousr]_[A-Za-z0-9]{36}[A-Za-z0-9_.-]*/g,
  },
  format("github", "github_pat_", "github_pat_[A-Za-z0-9_]{30,}"),
  format("gitlab", "gl", "gl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|wt)-[A-Za-z0-9_.-]{20,}"),
  format("gitlab", "GR1348941", "GR1348941[A-Za-z0-9_-]{20,}"),
  format("bitbucket", "ATBB", "ATBB[A-Za-z0-9_=-]{24,}"),
  format("atlassian", "ATATT ATCTT", "AT[AC]TT[A-Za-z0-9_+/=-]{24,}"),
  format("huggingface", "hf_", "hf_[A-Za-z0-9]{30,}"),
  format("huggingface", "api_org_", "api_org_[A-Za-z0-9]{30,}"),
  format("npm", "npm_", "npm_[A-Za-z0-9]{36,}"),
  format("pypi", "pypi-", "pypi-[A-Za-z0-9_-]{50,}"),
  format("rubygems", "rubygems_", "rubygems_[0-9a-zA-Z]{40,}"),
  format("crates", "cio", `cio[A-Za-z0-9]{32}${end}`),
  format("nuget", "oy2", `oy2[a-z0-9]{43}${end}`),
  format("clojars", "CLOJARS_", "CLOJARS_[A-Za-z0-9]{50,}"),
  format("stripe", "_live_ _test_ _prod_", "(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9]{16,}"),
  format("stripe", "whsec_", "whsec_[A-Za-z0-9+/]{24,}={0,2}"),
  format("slack", "xox", "(?:xoxe\\.)?xox[abcdeoprs]-[A-Za-z0-9-]{8,}"),
  format("slack", "xapp-", "xapp-[0-9]-[A-Za-z0-9-]{20,}"),
  format(
    "slack",
    "hooks.slack.com",
    "hooks\\.slack\\.com/(?:services|workflows|triggers)/([A-Za-z0-9_+/-]{20,})",
  ),
  format("google", "AIza", "AIza[A-Za-z0-9_-]{30,}"),
  format("google", "GOCSPX-", "GOCSPX-[A-Za-z0-9_-]{20,}"),
  format("google", "ya29.", "ya29\\.[A-Za-z0-9_-]{20,}"),
  format("google", "1//0", "1//0[A-Za-z0-9_-]{30,}"),
  format("sendgrid", "SG.", "SG\\.[A-Za-z0-9_=.-]{40,}"),
  format("mailgun", "key-", `key-[0-9a-fA-F]{32}${end}`),
  format("mailchimp", "-us", `[0-9a-z]{32}-us[0-9]{1,2}${end}`),
  format("brevo", "xkeysib- xsmtpsib-", "x(?:key|smtp)sib-[A-Za-z0-9_-]{50,}"),
  format("resend", "re_", `re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}${end}`),
  format("twilio", "SK AC", `(?:SK|AC)(?:[0-9a-fA-F]{32}|[0-9a-z]{32})${end}`),
  format("discord", ".", `[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}${end}`),
  format(
    "discord",
    "/api/webhooks/",
    "discord(?:app)?\\.com/api/(?:v[0-9]+/)?webhooks/([0-9]{15,20}/[A-Za-z0-9_-]{40,})",
  ),
  format("telegram", ":", `[0-9]{8,10}:(?:AA[A-Za-z0-9_-]{30,40}|[A-Za-z0-9_-]{35})${end}`),
  format("digitalocean", "_v1_", "do[oprs]_v1_[0-9a-fA-F]{50,}"),
  format(
    "jwt",
    "ey ew",
    "e[yw][A-Za-z0-9_-]{9,}={0,2}\\.[A-Za-z0-9_-]{8,}={0,2}\\.[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]+){0,2}",
  ),
  format("openai", "sk-", "sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}"),
  format("openai", "sess-", `sess-[A-Za-z0-9]{40}${end}`),
  format("anthropic", "sk-ant-", "sk-ant-[A-Za-z0-9_-]{20,}"),
  format("openrouter", "sk-or-", "sk-or-(?:v[0-9]-)?[0-9a-f]{40,}"),
  format("langfuse", "-lf-", `[sp]k-lf-${uuid}`),
  format("langsmith", "lsv2_ ls__", "(?:lsv2_(?:pt|sk)_|ls__)[0-9a-f]{32}(?:_[0-9a-f]{8,})?"),
  format("sk-key", "sk-", `sk-[A-Za-z0-9]{20,}${end}`),
  format("elevenlabs", "sk_", `sk_[0-9a-f]{40,}${end}`),
  format("groq", "gsk_", "gsk_[A-Za-z0-9]{40,}"),
  format("xai", "xai-", "xai-[A-Za-z0-9]{40,}"),
  format("perplexity", "pplx-", "pplx-[A-Za-z0-9]{40,}"),
  format("replicate", "r8_", "r8_[A-Za-z0-9]{30,}"),
  format("fireworks", "fw_", "fw_[A-Za-z0-9]{20,}"),
  format("together", "tgp_v1_", "tgp_v1_[A-Za-z0-9_-]{30,}"),
  format("nvidia", "nvapi-", "nvapi-[A-Za-z0-9_-]{40,}"),
  format("cerebras", "csk-", "csk-[a-z0-9]{40,}"),
  format("voyage", "pa-", `pa-[A-Za-z0-9_-]{43}${end}`),
  format("pinecone", "pcsk_", "pcsk_[A-Za-z0-9_]{40,}"),
  format("tavily", "tvly-", "tvly-[A-Za-z0-9-]{24,}"),
  format("databricks", "dapi", `dapi[0-9a-f]{32}(?:-[0-9])?${end}`),
  format("vault", "hvs. hvb. hvr.", "hv[sbr]\\.[A-Za-z0-9_=-]{24,}"),
  format("terraform", ".atlasv1.", "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{50,}"),
  format("doppler", "dp.", "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9_.-]{40,}"),
  format("pulumi", "pul-", `pul-[0-9a-z]{40}${end}`),
  format("heroku", "HRKU-", "HRKU-[A-Za-z0-9_-]{30,}"),
  format("netlify", "nfp_ nfc_", "nf[pc]_[A-Za-z0-9]{36,}"),
  format("vercel", "vcp_ vci_ vca_ vcr_ vck_", "vc[piark]_[A-Za-z0-9]{20,}"),
  format("render", "rnd_", "rnd_[A-Za-z0-9]{28,}"),
  format("fly", "fo1_ fm1 fm2_", "(?:fo1_[A-Za-z0-9_-]{40,}|fm[12][ar]?_[A-Za-z0-9+/]{60,}={0,2})"),
  format("supabase", "sbp_ sb_secret_", "(?:sbp_[0-9a-z]{40}|sb_secret_[A-Za-z0-9_-]{20,})"),
  format("planetscale", "pscale_", "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}"),
  format("neon", "napi_", "napi_[a-z0-9]{50,}"),
  format("mongodb", "mdb_sa_sk_", "mdb_sa_sk_[A-Za-z0-9_-]{30,}"),
  format("cloudflare", "cfk_ cfut_ cfat_", "cf(?:k|ut|at)_[A-Za-z0-9]{40,}"),
  format("cloudflare", "v1.0-", "v1\\.0-[0-9a-f]{24}-[0-9a-f]{100,}"),
  format("linear", "lin_api_ lin_oauth_", "lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
  format("notion", "ntn_ secret_", `(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}${end})`),
  format("figma", "figd_ figo_ figu_", "fig[dou]_[A-Za-z0-9_-]{36,}"),
  format("airtable", "pat", `pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}${end}`),
  format("asana", "/", `[12]/[0-9]{13,17}(?:/[0-9]{13,17})?:[0-9a-f]{32}${end}`),
  format("clickup", "pk_", `pk_[0-9]{4,10}_[A-Z0-9]{32}${end}`),
  format("dropbox", "sl.", "sl\\.(?:u\\.)?[A-Za-z0-9_-]{100,}"),
  format("shopify", "shp", "shp(?:at|ca|pa|ss|tka|ua)_[0-9a-fA-F]{32,}"),
  format("square", "sq0", "(?:sandbox-)?sq0[a-z]{3}-[A-Za-z0-9_-]{22,}"),
  format("square", "EAAA", `EAAA[A-Za-z0-9_+/=-]{22,66}${end}`),
  format("facebook", "EAA", "EAA[A-Za-z0-9]{80,}"),
  format("twitter", "AAAAAAAAAAAAAAAAAAAAA", "A{20,}[A-Za-z0-9%]{50,}"),
  format("braintree", "access_token$", "access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}"),
  format("plaid", "access-", `access-(?:sandbox|development|production)-${uuid}`),
  format("flutterwave", "FLWSECK", "FLWSECK(?:_TEST)?-[0-9a-zA-Z]{12,}(?:-X)?"),
  format("newrelic", "NR", "NR(?:AK|II|IQ|IK|RA|BR|JS|SP)-[A-Za-z0-9_-]{19,}"),
  format("newrelic", "NRAL -NRMA", `(?:[0-9a-f]{32,36}(?:FFFF)?NRAL|[A-Za-z0-9]{10,42}-NRMA)${end}`),
  format("sentry", "sntry", "sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
  format("grafana", "glsa_ glc_", "gl(?:sa|c)_[A-Za-z0-9+/_]{32,}={0,2}"),
  format("dynatrace", "dt0", "dt0[a-z][0-9]{2}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}"),
  format("launchdarkly", "sdk- api- mob-", `(?:sdk|api|mob)-${groups}`),
  format("posthog", "phx_ phc_ phs_", "ph[cxs]_[A-Za-z0-9]{36,}"),
  format("sourcegraph", "sgp_", "sgp_(?:[0-9a-fA-F]{16}_|local_)?[0-9a-fA-F]{40}"),
  format("readme", "rdme_", "rdme_[a-z0-9]{60,}"),
  format("duffel", "duffel_", "duffel_(?:test|live)_[A-Za-z0-9_-]{40,}"),
  format("easypost", "EZAK EZTK", `EZ[AT]K[A-Za-z0-9]{54}${end}`),
  format("shippo", "shippo_", "shippo_(?:live|test)_[0-9a-fA-F]{40}"),
  format("lob", "live_ test_", `(?:live|test)_(?:pub_)?[0-9a-f]{31,35}${end}`),
  format("postman", "PMAK-", "PMAK-[A-Za-z0-9-]{50,}"),
  format("docker", "dckr_", "dckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}"),
  format("jfrog", "AKCp cmVmdGtu", "(?:AKCp[A-Za-z0-9]{60,}|cmVmdGtu[A-Za-z0-9]{50,})"),
  format("sonar", "sq", `sq[pau]_[0-9a-f]{40}${end}`),
  format("buildkite", "bk", `bk(?:ua|aj|ct)_[0-9a-f]{40}${end}`),
  format("circleci", "CCIPAT_ CCIPRJ_", "CCIP(?:AT|RJ)_[A-Za-z0-9]{16,}_[0-9a-f]{40}"),
  format("age", "AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
  format("tailscale", "tskey-", "tskey-[a-z]{2,20}-[0-9A-Za-z_]{8,}-[0-9A-Za-z_]{16,}"),
  format("1password", "ops_", "ops_eyJ[A-Za-z0-9+/=_-]{60,}"),
  format("1password", "A3-", "A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
  format("bitwarden", "0.", `0\\.${uuid}\\.[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}==`),
  format(
    "azure",
    "AccountKey= SharedAccessKey=",
    "(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})",
  ),
  format("azure", "Q~", `[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{30,36}`),
  format("azure", "AZDO", `[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}${end}`),
  format("azure", "sig=", "[?&]sig=([A-Za-z0-9%+/_-]{32,}={0,2})"),
  format(
    "azure",
    "+ASt ACDb AzFu AzSe AzCa APIM",
    "[A-Za-z0-9+/]{30,80}(?:\\+ASt|ACDb|AzFu|AzSe|AzCa|APIM)[A-Za-z0-9+/_-]{4,10}={0,2}",
  ),
  format("alibaba", "LTAI", `LTAI[A-Za-z0-9]{16,20}${end}`),
  format("tencent", "AKID", `AKID[A-Za-z0-9]{32}${end}`),
  format("yandex", "AQVN y0_", "(?:AQVN[A-Za-z0-9_-]{35,}|y0_[A-Za-z0-9_-]{50,})"),
  format("adobe", "p8e-", `p8e-[a-z0-9A-Z]{32}${end}`),
  format("contentful", "CFPAT-", "CFPAT-[A-Za-z0-9_-]{40,}"),
  format("hubspot", "pat-", `pat-(?:na|eu|ap)[0-9]-${groups}`),
  format("typeform", "tfp_", "tfp_[A-Za-z0-9_.=-]{36,}"),
  format("scalingo", "tk-us-", "tk-us-[A-Za-z0-9_-]{40,}"),
  format("prefect", "pnu_ pnb_", `pn[ub]_[A-Za-z0-9]{36}${end}`),
  format("openshift", "sha256~", "sha256~[A-Za-z0-9_-]{43}"),
  format("infracost", "ico-", `ico-[A-Za-z0-9]{32}${end}`),
  format("harness", "pat. sat.", "[ps]at\\.[A-Za-z0-9_-]{22}\\.[0-9a-zA-Z]{24}\\.[A-Za-z0-9]{20}"),
  format("octopus", "API-", `API-[A-Z0-9]{24,}${end}`),
  format("teams", "webhook.office.com", "webhook\\.office\\.com/webhookb2/([A-Za-z0-9@/-]{60,})"),
  format("zapier", "hooks.zapier.com", "hooks\\.zapier\\.com/hooks/catch/([A-Za-z0-9/]{12,})"),
  format("artifactory", "cmVmd", `cmVmd[A-Za-z0-9]{55,63}${end}`),
  format("clickhouse", "4b1d", `4b1d[A-Za-z0-9]{38}${end}`),
  format("grafana", "eyJrIjoi", "eyJrIjoi[A-Za-z0-9+/_-]{40,}={0,2}"),
  format("frame-io", "fio-u-", "fio-u-[A-Za-z0-9_=-]{60,}"),
  format("zoho", "1000.", `1000\\.[0-9a-f]{32}\\.[0-9a-f]{32}${end}`),
  format("salesforce", "3MVG9", "3MVG9[A-Za-z0-9_.+/-]{60,}"),
  format("salesforce", "!", "00[A-Za-z0-9]{13,16}![A-Za-z0-9_.]{60,}"),
  format("salesforce", "5AEP861", "5AEP861[A-Za-z0-9._=]{60,}"),
  format("fullstory", "na1. eu1.", "(?:na1|eu1)\\.[A-Za-z0-9+/]{50,}={0,2}"),
  format("endorlabs", "endr+", `endr\\+[A-Za-z0-9-]{16}${end}`),
  format("azure", "git&", "git&[0-9]{12}&[A-Za-z0-9+/]{80,}={0,2}"),
  format("robinhood", "rh-api-", `rh-api-${groups}`),
  format("checkout", "sk_ pk_", `[sp]k_(?:sbox_)?${groups}`),
  format("voiceflow", "VF.", `VF\\.(?:DM\\.|WS\\.)?[0-9a-fA-F]{24}\\.[A-Za-z0-9]{16}${end}`),
  format("nightfall", "NF-", `NF-[A-Za-z0-9]{32}${end}`),
  format("maxmind", "_mmk", `[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk${end}`),
  format("facebook", "| %7C", `[0-9]{15,16}(?:\\||%7C)[A-Za-z0-9_-]{27,40}${end}`),
  format("finage", "API_KEY", `API_KEY[A-Z0-9]{32}${end}`),
  format("close", "api_", "api_(?=[A-Za-z0-9]*\\.)[A-Za-z0-9.]{38,}"),
  format("adafruit", "aio_", `aio_[A-Za-z0-9]{28}${end}`),
  format("settlemint", "sm_", `sm_(?:pat|aat|sat)_[A-Za-z0-9]{16}${end}`),
  format("salad", "salad_cloud_", "salad_cloud_[A-Za-z0-9]+_[A-Za-z0-9]{7,}"),
  format("smooch", "act_", `act_[0-9a-z]{24}${end}`),
  format("jwt", "eyJhbGciOi eyJ0eXAiOi", "eyJ(?:hbGci|0eXAi)Oi[A-Za-z0-9_.-]{60,}"),
  format("jwt", "ey", "ey[A-Za-z0-9_-]{15,}\\.ey[A-Za-z0-9_/-]{15,}"),
  format("okta", "00", `00(?![0-9]{2}-)(?=[A-Za-z0-9_-]{0,39}[A-Z])[A-Za-z0-9_-]{40}${end}`),
  format("vault", "s.", `s\\.(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{24}${end}`),
  format("stripe", "_secret_", "(?:pi|seti)_[A-Za-z0-9]{16,}_secret_[A-Za-z0-9]{16,}"),
  format("firecrawl", "fc-", `fc-[0-9a-f]{32}${end}`),
  format("portainer", "ptr_", "ptr_[A-Za-z0-9/+_-]{20,}={0,2}"),
  format("ramp", "ramp_", "ramp_(?:id|sec)_[A-Za-z0-9]{40,}"),
  format("gemini", "master- account-", `(?:master|account)-[A-Za-z0-9]{20}${end}`),
  format("defined-networking", "dnkey-", "dnkey-[A-Za-z0-9=_-]{60,}"),
  format("authress", ".acc", "[a-z]{2,8}_[A-Za-z0-9.]{8,}\\.acc[A-Za-z0-9_.+/=-]{30,}"),
  format("slack", "xoxe-", "xoxe-[0-9]-[A-Za-z0-9-]{40,}"),
  format("artifactory", "AKC", `AKC[A-Za-z0-9]{24,}${end}`),
  format("mapbox", "sk.eyJ", "sk\\.eyJ[A-Za-z0-9_-]{20,}\\.[A-Za-z0-9_-]{16,}"),
];

/** From `-----BEGIN … PRIVATE KEY` to its end or, if the end is missing, as far as it looks like a key. */
function* findPrivateKeys(softened: string): Generator<Span> {
  for (const match of softened.matchAll(/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g)) {
    const from = match.index + match[0].length;
    const next = softened.indexOf("-----BEGIN ", from);
    const rest = softened.slice(from, next === -1 ? from + longestKey : Math.min(next, from + longestKey));
    const close = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/.exec(rest);
    const body =
      close === null ? (/^[A-Za-z0-9+/=\s\\:,-]*/.exec(rest)?.[0] ?? "") : rest.slice(0, close.index);
    if (!/[A-Za-z0-9+/]{16}/.test(body)) continue;
    const length = close === null ? body.trimEnd().length : body.length + close[0].length;
    yield { start: match.index, end: from + length, kind: "private-key" };
  }
}

const longestKey = 20_000;
