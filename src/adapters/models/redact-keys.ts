/** Removes credentials from text for people: first the known values, then anything that looks like a key. */
export function redactKeys(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, mask);
  for (const [pattern, replacement] of shapes) clean = clean.replace(pattern, replacement);
  return clean;
}

const mask = "[redacted]";

const shapes: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[^\s"',;]+/gi, `$1 ${mask}`],
  [/\b(?:sk|pk|rk|gsk|xai|nvapi|hf|r8|fw|csk|pplx|tgp)[-_][A-Za-z0-9*•…._-]{4,}/g, mask],
  [/\b(?:AIza|ya29\.)[A-Za-z0-9*_-]{8,}/g, mask],
  [/([?&][\w-]*(?:key|token|secret|sig|signature|password|auth)[\w-]*=)[^&\s"']+/gi, `$1${mask}`],
  [
    /((?:api[-_ ]?key|authorization|access[-_]token|secret)["']?\s*[:=]\s*["']?)[^\s"',;}]{6,}/gi,
    `$1${mask}`,
  ],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^/\s:@]+:[^/\s@]+@/gi, `$1${mask}@`],
];
