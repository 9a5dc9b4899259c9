import { defineConfig, type Plugin } from "vite";

/** Builds the app as one file. `dist/ui/index.html` is served as is, and is the template of standalone reports. */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "../dist/ui",
    emptyOutDir: true,
    target: "es2024",
    cssTarget: ["chrome123", "firefox128", "safari17.5"],
    modulePreload: false,
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    chunkSizeWarningLimit: 2000,
    reportCompressedSize: true,
  },
  plugins: [inlineEverything()],
});

/** Inlines style and script into the page, in this order, so that it opens from disk. */
function inlineEverything(): Plugin {
  return {
    name: "inline-everything",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") return;
      let html = String(page.source).replaceAll(/\s*<(script|link)[^>]*assets\/[^>]*>(<\/script>)?/g, "");
      for (const [name, file] of Object.entries(bundle)) {
        if (name === "index.html") continue;
        const [tag, end] =
          file.type === "chunk" ? [scriptTag(file.code), "</body>"] : [styleTag(file.source), "</head>"];
        html = html.replace(end, () => tag + end);
        delete bundle[name];
      }
      page.source = html;
    },
  };
}

// `</script` anywhere in the code would end the tag
const scriptTag = (code: string): string =>
  `<script type="module">${code.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--")}</script>\n`;
const styleTag = (css: string | Uint8Array): string => `<style>${String(css).trim()}</style>\n`;
