import { isAbsolute } from "node:path";
import { qwenCodeSource } from "../transcripts/readers/qwen-code.ts";
import { agentFolder, type CodingAgent } from "./coding-agent.ts";

export const qwenCode: CodingAgent<"qwen-code"> = {
  name: "qwen-code",
  label: "Qwen Code",
  program: { name: "qwen", packageName: "@qwen-code/qwen-code", variables: ["QWEN_CODE"] },
  reads: { files: ["QWEN.md"], followsImports: true },
  memory: ".qwen/QWEN.md",
  ownMemory: undefined,
  secrets: [],
  skills: { project: [], home: [] },
  cli: undefined,
  transcripts: (host, place) => {
    const { QWEN_RUNTIME_DIR: runtime = "" } = host.env;
    const usual = isAbsolute(runtime) ? runtime : agentFolder(host, "QWEN_HOME", ".qwen");
    return qwenCodeSource({ home: place ?? usual });
  },
  plugin: undefined,
};
