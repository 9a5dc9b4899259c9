import { hash } from "node:crypto";

/** For every response: no caching, sniffing, framing, referrers or sharing with other sites. */
export const securityHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Lets a page use only its own inline scripts and styles, and its own server. */
export function pagePolicy(html: string): string {
  return [
    "default-src 'none'",
    `script-src ${sourcesOf(html, "script")}`,
    `style-src-elem ${sourcesOf(html, "style")}`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function sourcesOf(html: string, element: "script" | "style"): string {
  const texts = [...html.matchAll(new RegExp(`<${element}\\b[^>]*>(.*?)</${element}\\s*>`, "gis"))];
  const sources = texts.map(([, text = ""]) => `'sha256-${hash("sha256", text, "base64")}'`);
  return sources.length === 0 ? "'none'" : sources.join(" ");
}
