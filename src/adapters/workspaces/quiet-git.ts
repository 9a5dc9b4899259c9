/**
 * Settings for every git we start: a repository must not start programs, connect or prompt. If it lacks objects, it
 * names a program to fetch them with, and a clone can contain a whole bare repository.
 */
export function quietGit(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const settings = Object.entries({
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "credential.helper": "",
    // to check for changes there, git would start itself with that repository's settings
    "diff.ignoreSubmodules": "dirty",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
    ...more,
  });
  return {
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    // with `-c`, a name containing `=` would become another one
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, name],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  };
}
