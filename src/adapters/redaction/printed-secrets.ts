import { changes, classes, entropy, isOrdinaryValue, isTemplate, wordShare } from "./secret-value.ts";
import type { Span } from "./span.ts";

/**
 * Single words on a line after a command that prints secrets (`cat token.txt`, `gh auth token`, `kubectl get
 * secret`). There, a hash or a UUID is a secret too.
 */
export function findPrintedSecrets(softened: string): readonly Span[] {
  const spans: Span[] = [];
  for (const match of softened.matchAll(printing)) {
    let from = softened.indexOf("\n", match.index + match[0].length);
    // escaped line breaks have been replaced by blanks
    if (from === -1 || from - match.index > 300) from = match.index + match[0].length;
    const after = softened.slice(from, from + reach);
    // the next command ends this one's output
    const printed = after.split(/\n\s*(?:\$|>|#|%|PS\b|❯|➜)\s?/)[0] ?? "";
    for (const word of printed.matchAll(
      /(?<=^|\n|\s{2}|\t|: |" |[" ]\s)([^\s"'`<>{}[\]()|,;]{12,400})(?=$|\s|["'`|,])/g,
    )) {
      const secret = word[1] ?? "";
      const start = from + word.index + word[0].indexOf(secret);
      if (isPrinted(secret)) spans.push({ start, end: start + secret.length, kind: "printed" });
    }
  }
  return spans;
}

const reach = 400;

const named = String.raw`\S{0,80}(?:token|secret|passw|pwd|cred|apikey|api[_-]key|private|\.env|\.pem|\.key|id_rsa|id_ed25519|netrc|htpasswd|vault)\S{0,40}`;
const printing = new RegExp(
  String.raw`(?<![\w-])(?:(?:cat|bat|less|more|head|tail|type|tac|nl|jq|yq|xxd|strings|source|Get-Content)[ \t](?:-\S+[ \t]){0,3}["']?${named}` +
    String.raw`|(?:echo|printf)[ \t]["']?\$\{?\w*(?:TOKEN|SECRET|PASS|PWD|KEY|CRED)\w*\}?` +
    String.raw`|printenv(?:[ \t]\w+)?|(?:kubectl|oc|k)[ \t][^\n]{0,40}\bget[ \t][^\n]{0,40}secrets?\b|(?:oc|kubectl)[ \t](?:whoami[ \t]-t|create[ \t]token)` +
    String.raw`|aws[ \t](?:sts|secretsmanager|ssm[ \t]get-param|iam[ \t]create-access-key|configure[ \t]get|ecr[ \t]get-login)` +
    String.raw`|(?:gh|glab)[ \t]auth[ \t](?:token|status)|gcloud[ \t](?:auth[ \t]\S*print|secrets)|az[ \t](?:account[ \t]get-access|keyvault[ \t]secret|acr[ \t])` +
    String.raw`|vault[ \t](?:read|kv[ \t]get|token|login|write)|op[ \t](?:read|item[ \t]get|signin)|pass[ \t](?:show[ \t]|-c[ \t])?[\w.-]+\/[\w./-]+|gopass[ \t]show|bw[ \t](?:get|unlock)|lpass[ \t]show` +
    String.raw`|secret-tool[ \t]lookup|security[ \t]find-(?:generic|internet)-password|keyring[ \t]get|doppler[ \t]secrets|infisical[ \t]secrets|chamber[ \t]read|sops[ \t](?:-d|decrypt)` +
    String.raw`|heroku[ \t](?:auth:token|config)|fly(?:ctl)?[ \t](?:auth[ \t]token|tokens)|npm[ \t]token|(?:vercel|netlify|railway)[ \t](?:env|variables|whoami[ \t]-t)|stripe[ \t]config|databricks[ \t]tokens` +
    String.raw`|openssl[ \t]rand|pwgen|apg|git[ \t]credential[ \t]fill|docker-credential-\S+[ \t]get|(?:terraform|tofu|pulumi)[ \t](?:output|config[ \t]get|stack[ \t]output)|argocd[ \t]account|base64[ \t](?:-d|-D|--decode))` +
    String.raw`[^\n]{0,160}`,
  "g",
);

/** Hex, base64, a UUID, or a password with three kinds of characters, but not a word, path or address. */
function isPrinted(secret: string): boolean {
  const text = secret.replace(/[.,:]+$/, "");
  if (
    text.length < 12 ||
    isOrdinaryValue(text) ||
    isTemplate(text) ||
    /:\/\/|^[\w-]+\.[a-z]{2,5}$|^[-~]|^\d{1,4}[-:/]\d\d?[-:/T]/.test(text)
  )
    return false;
  if (!/\d/.test(text) && classes(text) < 3 && changes(text) < 0.3) return false;
  if (!/[A-Za-z]/.test(text)) return false;
  return entropy(text) >= 2.7 && (wordShare(text) <= 0.5 || changes(text) >= 0.3);
}
