/** Accepts only whole commit ids, because git could read anything shorter as another name. */
export const commitId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
