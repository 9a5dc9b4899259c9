import { type FolderFile, folderFiles, foldersIn } from "./folder-files.ts";

/** As `folderFiles`, in the folder and all below it. */
export async function filesBelow(folder: string, wanted: RegExp): Promise<readonly FolderFile[]> {
  const deeper = (await foldersIn(folder)).map((inner) => filesBelow(inner, wanted));
  return [...(await folderFiles(folder, wanted)), ...(await Promise.all(deeper)).flat()];
}
