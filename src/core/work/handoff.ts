/** `handoff/<any name>`: a model whose questions are written as files for the person or their own agent to answer. */
export const handoffProvider = "handoff";

export const isHandoff = (id: string): boolean => id.startsWith(`${handoffProvider}/`);
