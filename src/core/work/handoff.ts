/** `handoff/<any name>`: a model whose questions become files that the person or their own agent answers. */
export const handoffProvider = "handoff";

export const isHandoff = (id: string): boolean => id.startsWith(`${handoffProvider}/`);
