/** What a terminal showed for a while: lines with their colours, as `tmux capture-pane -e` gives them. */
export interface Frame {
  readonly lines: readonly string[];
  readonly seconds: number;
}

export type Scheme = "light" | "dark";

interface Size {
  readonly columns: number;
  readonly rows: number;
}

const cell = { width: 8.4, height: 19 };
const margin = 16;

interface Palette {
  readonly paper: string;
  readonly frame: string;
  readonly ink: string;
  readonly dim: string;
  /** Black, red, green, yellow, blue, magenta, cyan, white. */
  readonly colours: readonly string[];
}

const palettes: Readonly<Record<Scheme, Palette>> = {
  light: {
    paper: "#ffffff",
    frame: "#d0d7de",
    ink: "#1f2328",
    dim: "#656d76",
    colours: ["#1f2328", "#b3261e", "#116329", "#7d4e00", "#0550ae", "#8250df", "#1b6a75", "#656d76"],
  },
  dark: {
    paper: "#0d1117",
    frame: "#30363d",
    ink: "#e6edf3",
    dim: "#8d96a0",
    colours: ["#8d96a0", "#ff7b72", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#e6edf3"],
  },
};

/** Frames of a terminal as one SVG that plays them over and over; who wants no motion sees the last one. */
export function drawTerminal(frames: readonly Frame[], size: Size, scheme: Scheme, title: string): string {
  const { paper, frame, ink, dim, colours } = palettes[scheme];
  const width = Math.ceil(size.columns * cell.width + 2 * margin);
  const height = size.rows * cell.height + 2 * margin;
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  const last = frames.length - 1;
  let begun = 0;
  const shows = frames.map(({ seconds }, at) => {
    const share = (value: number) => ((100 * value) / total).toFixed(2);
    const [from, to] = [share(begun), share(begun + seconds)];
    begun += seconds;
    const steps = `0%{visibility:hidden}${from}%{visibility:visible}${to}%{visibility:${at === last ? "visible" : "hidden"}}`;
    return `@keyframes f${at}{${steps}}.f${at}{animation:f${at} ${total}s step-end infinite}`;
  });
  const still = frames.map((_, at) => `.f${at}{visibility:${at === last ? "visible" : "hidden"}}`).join("");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">`,
    `<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${ink};white-space:pre}.b{font-weight:bold}.d{fill:${dim}}`,
    colours.map((colour, at) => `.c${at}{fill:${colour}}`).join(""),
    `${still}@media (prefers-reduced-motion:no-preference){${shows.join("")}}</style>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="${paper}" stroke="${frame}"/>`,
    ...frames.map(
      ({ lines }, at) => `<g class="f${at}">${spansOf(lines.slice(0, size.rows)).map(drawLine).join("")}</g>`,
    ),
    "</svg>\n",
  ].join("\n");
}

function drawLine(spans: readonly Span[], row: number): string {
  const columns = spans.reduce((sum, { text }) => sum + text.length, 0);
  if (columns === 0) return "";
  const y = margin + row * cell.height + 14;
  // fonts differ in width: the length keeps columns below one another
  const length = (columns * cell.width).toFixed(1);
  const words = spans.map(({ text, classes }) =>
    classes === "" ? escape(text) : `<tspan class="${classes}">${escape(text)}</tspan>`,
  );
  return `<text x="${margin}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">${words.join("")}</text>`;
}

interface Span {
  readonly text: string;
  readonly classes: string;
}

/** The words of each line, each with the colour that was on; a colour may go on over lines. */
function spansOf(lines: readonly string[]): readonly (readonly Span[])[] {
  let [bold, dim, colour] = [false, false, ""];
  const turn = (code: number): void => {
    if (code === 0) [bold, dim, colour] = [false, false, ""];
    else if (code === 1) bold = true;
    else if (code === 2) dim = true;
    else if (code === 22) [bold, dim] = [false, false];
    else if (code === 39) colour = "";
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) colour = `c${code % 10}`;
  };
  return lines.map((line) =>
    line
      .trimEnd()
      .split("\u001B[")
      .flatMap((part, at) => {
        const [, codes, after] = (at > 0 && /^([\d;]*)m(.*)$/.exec(part)) || [];
        for (const code of codes?.split(";") ?? []) turn(Number(code));
        const text = after ?? part;
        const classes = [bold ? "b" : "", dim ? "d" : "", colour].filter((word) => word !== "").join(" ");
        return text === "" ? [] : [{ text, classes }];
      }),
  );
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
