/** Only whole commit ids: anything else git could take for something else. */
export const commitId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
