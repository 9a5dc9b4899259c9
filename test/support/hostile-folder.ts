import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { commandKinds } from "../../src/apps/cli/command-kinds.ts";

const needed: Readonly<Record<string, readonly string[]>> = {
  "runs rm": ["0000"],
  import: ["tasks.jsonl"],
  "journal salvage": ["--to", "salvaged"],
  reject: ["--reason", "no"],
  ui: ["--no-open"],
  fleet: ["--redis", "redis://127.0.0.1:1"],
};

/** Every command that runs no code of the folder, by its words, as it is typed. */
export const readers: ReadonlyMap<string, readonly string[]> = new Map(
  Object.keys(commandKinds)
    .filter((words) => commandKinds[words] !== "works")
    .map((words) => [words, [...words.split(" "), ...(needed[words] ?? [])]]),
);

/** Names a database and a queue, and brings its own copy of every optional package, which leaves a mark in $MARKS. */
export function hostileFolder(port: number): Readonly<Record<string, string>> {
  const { peerDependencies } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
  ) as { readonly peerDependencies: Readonly<Record<string, string>> };
  return {
    "whetstone.config.json": JSON.stringify({
      journal: `postgres://127.0.0.1:${port}/x`,
      executor: "bullmq",
      redis: `redis://127.0.0.1:${port}`,
    }),
    "SKILL.md": "# Skill\n",
    "tasks.jsonl": JSON.stringify({ id: "a", question: "q", answers: ["a"] }),
    ...Object.assign({}, ...Object.keys(peerDependencies).map(markedPackage)),
  };
}

/** A package that leaves a mark with its name when it is loaded. */
export function markedPackage(name: string): Readonly<Record<string, string>> {
  const exports = { ".": "./index.js", "./*": "./index.js" };
  return {
    [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: "99.0.0", exports }),
    [`node_modules/${name}/index.js`]: `require("node:fs").writeFileSync(process.env.MARKS + "/${name.replaceAll("/", "+")}", "");\n`,
  };
}

/** A server that takes itself for PostgreSQL, asks for the password in plain text and notes all that it hears. */
export async function listenAsPostgres() {
  const heard: string[] = [];
  const server = createServer((socket) => {
    heard.push("a connection");
    socket.on("error", () => {});
    socket.on("data", (data) => {
      const isTlsAsked = data.length === 8 && data.readInt32BE(4) === 80_877_103;
      if (isTlsAsked) return void socket.write("N");
      heard.push(data.toString());
      if (data[0] === 0x70) return void socket.end();
      // AuthenticationCleartextPassword
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { heard, port, close: () => void server.close() };
}
