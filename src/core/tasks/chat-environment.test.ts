import { expect, test } from "vitest";
import { encodeFile } from "../files.ts";
import { captureRequests } from "./capture-requests.ts";
import { paperSettings } from "../../../test/support/scripted-run.ts";
import { chatEnvironment } from "./chat-environment.ts";

const bytes = encodeFile(Uint8Array.of(0x89, 0x50, 0, 0xff));

test("bytes, and texts that no question should carry, are a name and a size", async () => {
  const files = {
    "SKILL.md": "# Main",
    "references/a.md": "A",
    "logo.png": bytes,
    "long.csv": "x".repeat(256 * 1024 + 1),
  };
  const task = { id: "t", input: "Q", files: { "in.txt": "text", "in.png": bytes }, answers: ["A"] };
  const [request] = await captureRequests(task, { main: "SKILL.md", files }, chatEnvironment, paperSettings);
  expect(request?.system).toBe(
    "# Main\n\nFile logo.png:\n\n(4 bytes, not shown)\n\nFile long.csv:\n\n(262145 bytes, not shown)\n\nFile references/a.md:\n\nA",
  );
  expect(request?.messages[0]?.content).toBe(
    "Q\n\nFile in.txt:\n\ntext\n\nFile in.png:\n\n(4 bytes, not shown)",
  );
});
