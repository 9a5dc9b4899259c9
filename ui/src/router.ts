/** A place in the app. The address keeps it after the `#`, so it works from disk too. */
export type Route =
  | { readonly page: "runs" }
  | { readonly page: "proposals" }
  | { readonly page: "night-proposal"; readonly id: string }
  | { readonly page: "run" | "skill" | "tasks" | "proposal"; readonly run: string }
  | { readonly page: "step"; readonly run: string; readonly step: number }
  | { readonly page: "task"; readonly run: string; readonly task: string }
  | { readonly page: "nowhere"; readonly path: string };

/** The part after the `?` of the hash: filters, the open rollout. */
export type Query = Readonly<Record<string, string>>;

export interface Place {
  readonly route: Route;
  readonly query: Query;
}

export function parsePlace(hash: string): Place {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return { route: parseRoute(path), query: Object.fromEntries(new URLSearchParams(search)) };
}

function parseRoute(path: string): Route {
  const words = path.split("/").filter((word) => word !== "");
  const [head, first, page, last, ...rest] = words.map(decode);
  if (rest.length > 0) return { page: "nowhere", path };
  if (head === undefined || (head === "runs" && words.length === 1)) return { page: "runs" };
  if (head === "proposals" && words.length === 1) return { page: "proposals" };
  if (head === "proposals" && first !== undefined && words.length === 2)
    return { page: "night-proposal", id: first };
  if (head !== "run" || first === undefined) return { page: "nowhere", path };
  if (page === undefined) return { page: "run", run: first };
  if (words.length === 3 && (page === "skill" || page === "tasks" || page === "proposal"))
    return { page, run: first };
  if (page === "task" && last !== undefined) return { page, run: first, task: last };
  if (page === "step" && last !== undefined && /^\d+$/.test(last))
    return { page, run: first, step: Number(last) };
  return { page: "nowhere", path };
}

/** The address of a route, for `href`. */
export function linkTo(route: Exclude<Route, { readonly page: "nowhere" }>, query: Query = {}): string {
  const search = new URLSearchParams(query).toString();
  const words = wordsOf(route).map((word) => encodeURIComponent(word));
  return `#/${words.join("/")}${search === "" ? "" : `?${search}`}`;
}

function wordsOf(route: Exclude<Route, { readonly page: "nowhere" }>): readonly string[] {
  switch (route.page) {
    case "runs":
    case "proposals":
      return [route.page];
    case "night-proposal":
      return ["proposals", route.id];
    case "run":
      return ["run", route.run];
    case "step":
      return ["run", route.run, "step", String(route.step)];
    case "task":
      return ["run", route.run, "task", route.task];
    default:
      return ["run", route.run, route.page];
  }
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
