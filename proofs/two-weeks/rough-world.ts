import type { JsonObject } from "../../src/ports.ts";
import { type ChatWorld, seededRandom } from "../../src/testing/index.ts";
import { usualReply } from "../support/usual-replies.ts";
import { roughTalks, topicOf, topics } from "./rough-talks.ts";

interface Asked {
  readonly prompt: string;
  readonly random: () => number;
}

const topicNamed = (text: string): string | undefined =>
  Object.entries(topics).findLast(([, { says }]) => says.test(text))?.[0];

/** A miner that paraphrases, forgets fields and answers, and breaks JSON; a grouping that leaves one in ten alone. */
export function roughWorld({ seed, noise }: { readonly seed: number; readonly noise: number }): ChatWorld {
  const contracts: Readonly<Record<string, (asked: Asked) => JsonObject>> = {
    mine: mineRoughly,
    group_wishes: groupRoughly,
    word_wishes: wordRoughly,
    check_wordings: checkRoughly,
  };
  return {
    reply(request) {
      const merged = usualReply(request);
      if (merged !== undefined) return merged;
      const { key, system, messages } = request;
      const random = seededRandom("rough", seed, key);
      const prompt = messages.map(({ content }) => content).join("\n\n");
      const contract = /^Contract: (\S+)$/m.exec(system)?.[1];
      const answer = contracts[contract ?? ""];
      if (answer !== undefined) return { text: messy(JSON.stringify(answer({ prompt, random })), random) };
      if (contract !== undefined) return { text: '{ "reasoning": "", "failure_summary": [], "edits": [] }' };
      const talk = roughTalks.find(
        ({ found }) => found?.intent !== "" && prompt.includes(found?.intent ?? "\n"),
      );
      if (talk?.found === undefined) return { text: "ok" };
      const { rule, good, bad } = topics[talk.found.topic];
      const isObeyed = random() < noise ? random() < 0.5 : rule !== "" && system.includes(rule);
      return { text: isObeyed ? good : bad };
    },
  };
}

function messy(text: string, random: () => number): string {
  const dice = random();
  if (dice < 0.15)
    return `Sure! Here is what I found:\n\`\`\`json\n${text}\n\`\`\`\nLet me know if you need more.`;
  if (dice < 0.25) return `${text.slice(0, -1)},}`;
  return dice < 0.32 ? "I could not find anything that follows your schema, sorry." : text;
}

function mineRoughly({ prompt, random }: Asked): JsonObject {
  const first = /\[turn 1, the person\]\n([\s\S]*?)\n\n\[turn 1, the agent\]/.exec(prompt)?.[1] ?? "";
  const found = roughTalks.find(({ turns }) => turns[0]?.[0] === first)?.found;
  if (found === undefined) return { tasks: [] };
  const { topic, quote, stated = "", intent, lasts, taken } = found;
  const isForgotten = (share: number) => random() < share;
  const says = random() < 0.2 ? `The user wants ${quote}` : quote;
  const no = { answer: "no", quote };
  const task: JsonObject = {
    kind: random() < 0.2 ? "preference" : "correction",
    ...(isForgotten(0.05) ? {} : { intent }),
    ...(isForgotten(0.2) || intent === ""
      ? {}
      : { checks: [{ kind: "contains", value: topics[topic].check }] }),
    evidence: [says],
    stated: stated !== "" && random() < 0.3 ? `The user said: ${stated}` : stated,
    scope: random() < 0.15 ? "personal" : "project",
    ...(lasts === undefined || isForgotten(0.3) ? {} : { lasts: { answer: lasts, quote: stated || quote } }),
    ...(taken === undefined || isForgotten(0.15) ? {} : { [taken]: no }),
  };
  return { tasks: [task] };
}

function groupRoughly({ prompt, random }: Asked): JsonObject {
  const numbered = (word: string) =>
    [...prompt.matchAll(new RegExp(`^${word} (\\d+): (.*)$`, "gm"))].map(([, number, line = ""]) => ({
      number: Number(number),
      // without its day and occasion
      topic: topicNamed(line.replace(/ \((?:last said )?\d{4}-.*$/, "")),
    }));
  const [known, sentences] = [numbered("wish"), numbered("sentence")];
  const related = sentences.flatMap(({ number, topic }) => {
    const against = topicOf(topic ?? "")?.against;
    const wish = known.find((one) => one.topic === against?.topic)?.number ?? null;
    const of = sentences.find((one) => one.topic === against?.topic)?.number ?? null;
    return against === undefined || (wish ?? of) === null
      ? []
      : [{ sentence: number, is: against.is, wish, of: wish === null ? of : null }];
  });
  const takingBack = new Set(related.filter(({ is }) => is === "takes back").map(({ sentence }) => sentence));
  const groups = Map.groupBy(
    sentences.filter(({ number }) => !takingBack.has(number)),
    ({ number, topic }) => (topic === undefined || random() < 0.1 ? `alone ${number}` : topic),
  );
  return {
    groups: [...groups].map(([name, own]) => ({
      sentences: own.map(({ number }) => number),
      wish: known.find(({ topic }) => topic === name)?.number ?? null,
    })),
    relations: related,
  };
}

function wordRoughly({ prompt, random }: Asked): JsonObject {
  const wishes = [...prompt.matchAll(/^wish (\d+), for .*:\n((?: {2}".*\n?)+)/gm)];
  return {
    wishes: wishes
      .filter(() => random() > 0.1)
      .map(([, wish, sentences = ""]) => ({
        wish: Number(wish),
        rule:
          random() < 0.8
            ? (topicOf(topicNamed(sentences) ?? "")?.rule ?? "")
            : "Follow the conventions of the project.",
      })),
  };
}

function checkRoughly({ prompt, random }: Asked): JsonObject {
  const rules = [...prompt.matchAll(/^rule (\d+): (.*)$/gm)];
  return {
    rules: rules.map(([, rule, text = ""]) => ({
      rule: Number(rule),
      carries: text.includes("conventions of the project") && random() < 0.8 ? "no" : "yes",
      own: "yes",
    })),
  };
}
