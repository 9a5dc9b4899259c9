/**
 * The first line of each of our prompts that an agent's CLI could save in its person's own history. A harvest skips
 * texts that start with it, because they contain nobody's work.
 */
export const whetstoneMarker = "[whetstone: written by a program, not by a person]";

/** Whether a first prompt is ours: it carries the marker, or the contract line that all our prompts begin with. */
export const isWrittenByWhetstone = (firstPrompt: string): boolean =>
  firstPrompt.includes(whetstoneMarker) || contractLine.test(firstPrompt);

const contractLine = /^Contract: [a-z]+(?:[_-][a-z]+)*$/m;

/** Whether a prompt calls a command of our plugin: anything after it is about rules, not about the work. */
export const isPluginCommand = (prompt: string): boolean => /^[/$]whetstone\b/.test(prompt.trimStart());

/** The start of a question for the person's own agent, below the marker. */
export const handoffQuestion = "A question for ";

/** Whether an output shows such a question: then the agent that read it was working for us, not for its person. */
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
