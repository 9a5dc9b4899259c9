/**
 * What every git is started with: a repository's own settings and files must not start programs, connect or ask anybody. A
 * repository that lacks objects names a program to fetch them with; a folder of a clone can be a whole bare repository.
 */
export function quietGit(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const settings = Object.entries({
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "credential.helper": "",
    // to see whether one has changes, git would start itself there with its settings
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
    // by `-c`, a name with `=` in it would be another one
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, name],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  };
}
