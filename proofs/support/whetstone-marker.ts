/** The first line of every prompt of ours that an agent could keep in its person's history. */
export const whetstoneMarker = "[whetstone: written by a program, not by a person]";
