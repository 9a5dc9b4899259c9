const hide = `import { registerHooks } from "node:module";
  registerHooks({
    resolve(name, context, next) {
      if (name !== "jiti") return next(name, context);
      throw Object.assign(new Error("Cannot find package 'jiti'"), { code: "ERR_MODULE_NOT_FOUND" });
    },
  });`;

/** Flags for Node under which jiti is not installed, as it is not where nobody asked for it. */
export const withoutJiti: readonly string[] = [
  "--import",
  `data:text/javascript,${encodeURIComponent(hide)}`,
];
