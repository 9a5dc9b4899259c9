import { calibrationItems, seedSkill } from "../../test/support/real-model/complaints.ts";
import { rulePool } from "./rule-pool.ts";

/** A server that answers with probabilities, as llama.cpp and vLLM do. */
export interface Server {
  readonly baseURL: string;
  readonly model: string;
  readonly key: string | undefined;
}

/**
 * How far Yes is ahead of No in the first token, on items that are no tasks: what a grammar and a bias at the server must mend.
 * With each rule of the pool too, which shows what the rules do to this model.
 */
export async function calibrate(server: Server, seed: number, log: (line: string) => void): Promise<void> {
  const rules = Object.entries(rulePool).flatMap(([kind, texts]) =>
    texts.map((text) => [`${kind}: ${text}`, `${seedSkill}\n- ${text}\n`] as const),
  );
  log("right as it is, right at the best bias, that bias on Yes, area under the curve");
  for (const [name, skill] of [["no skill", ""] as const, ["seed skill", seedSkill] as const, ...rules]) {
    const margins: { readonly isComplaint: boolean; readonly ahead: number }[] = [];
    for (const { input, answers } of calibrationItems(seed)) {
      margins.push({ isComplaint: answers?.[0] === "Yes", ahead: await askMargin(server, skill, input) });
    }
    const right = (bias: number) =>
      margins.filter(({ isComplaint, ahead }) => ahead + bias > 0 === isComplaint).length / margins.length;
    // between any two neighbours there is a bias that parts them
    const sorted = margins.map(({ ahead }) => ahead).toSorted((a, b) => a - b);
    const biases = sorted.slice(1).map((ahead, at) => -(ahead + (sorted[at] ?? 0)) / 2);
    const best = biases.toSorted((a, b) => right(b) - right(a) || Math.abs(a) - Math.abs(b))[0] ?? 0;
    const pairs = margins
      .filter(({ isComplaint }) => isComplaint)
      .flatMap((one) =>
        margins.filter((other) => !other.isComplaint).map((other) => one.ahead - other.ahead),
      );
    const area =
      pairs.reduce((sum, ahead) => sum + (ahead > 0 ? 1 : ahead === 0 ? 0.5 : 0), 0) / pairs.length;
    const figures = [right(0), right(best), best, area]
      .map((figure) => figure.toFixed(2).padStart(6))
      .join("  ");
    log(`${figures}  ${name}`);
  }
}

/** Log of how much more likely Yes is than No. */
async function askMargin({ baseURL, model, key }: Server, skill: string, input: string): Promise<number> {
  const messages = [
    ...(skill === "" ? [] : [{ role: "system", content: skill }]),
    { role: "user", content: input },
  ];
  const response = await fetch(`${baseURL}/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({
      model,
      messages,
      max_tokens: 1,
      temperature: 0,
      logprobs: true,
      top_logprobs: 200,
    }),
  });
  const reply = (await response.json()) as Reply;
  const top = reply.choices?.[0]?.logprobs?.content?.[0]?.top_logprobs;
  if (top === undefined)
    throw new Error(`${baseURL} gives no probabilities: ${JSON.stringify(reply).slice(0, 300)}`);
  const chanceOf = (word: string) => top.find(({ token }) => token.trim() === word)?.logprob ?? -20;
  return chanceOf("Yes") - chanceOf("No");
}

interface Reply {
  readonly choices?: readonly {
    readonly logprobs?: {
      readonly content?: readonly {
        readonly top_logprobs?: readonly { readonly token: string; readonly logprob: number }[];
      }[];
    };
  }[];
}
