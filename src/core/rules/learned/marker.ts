/**
 * The first line of every prompt of ours that an agent's CLI could keep in its person's own history. A harvest skips what
 * begins with it: nobody's work is in there.
 */
export const whetstoneMarker = "[whetstone: written by a program, not by a person]";

/** Whether a first prompt is one of ours: it carries the marker, or the contract line that every prompt of ours begins with. */
export const isWrittenByWhetstone = (firstPrompt: string): boolean =>
  firstPrompt.includes(whetstoneMarker) || contractLine.test(firstPrompt);

const contractLine = /^Contract: [a-z]+(?:[_-][a-z]+)*$/m;

/** Whether a prompt calls a command of our plugin: what is said from there on is about rules, not about the work. */
export const isPluginCommand = (prompt: string): boolean => /^[/$]whetstone\b/.test(prompt.trimStart());

/** How a question begins, below the marker, that the person's own agent is to answer. */
export const handoffQuestion = "A question for ";

/** Whether an output shows such a question: the agent that read it was at work for us, not for its person. */
export function showsQuestion(output: string): boolean {
  const at = output.indexOf(whetstoneMarker);
  // tools put numbers before lines
  return (
    at !== -1 &&
    output
      .slice(at + whetstoneMarker.length)
      .slice(0, 40)
      .includes(handoffQuestion)
  );
}
