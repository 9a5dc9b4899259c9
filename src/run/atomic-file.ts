import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** The file holds either its old bytes or all of the new ones, whenever the process dies. */
export async function writeFileAtomic(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // one name, not one per process: what a killed process left behind is overwritten and renamed by the next
  const temporary = `${path}.tmp`;
  const file = await open(temporary, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
