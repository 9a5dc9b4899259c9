/** What an agent in a box has in place of a key. */
export const dummyKey = "sk-whetstone-dummy";
