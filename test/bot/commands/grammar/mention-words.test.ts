import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ParsedMention, readMention } from "../../../../src/bot/commands/grammar/mention-words.ts";
import { joinWords } from "../../../../src/bot/commands/grammar/words.ts";

/** What a message leads to, as "confirm restart web". */
function heard(text: string): string {
  const answer = readMention({ text }, []);
  if (answer.kind === "menu") return "menu";
  if (answer.kind === "miss") return `miss: ${answer.error.message}`;
  const { verb, args } = answer.parsed.ask;
  return `${answer.kind} ${verb} ${joinWords(Object.values(args).map(String))}`.trim();
}

describe("reads are answered", () => {
  test.each([
    ["why is flaky failing?", "run why flaky"],
    ["Why does flaky keep restarting?", "run why flaky"],
    ["How is redis.cache?", "run show redis.cache"],
    ["what's wrong with flaky", "run why flaky"],
    ["what’s wrong with the flaky service?", "run why service/flaky"],
    ["show me the logs of worker", "run logs worker"],
    ["logs for web please", "run logs web"],
    ["can you show me the last 20 lines of web, please?", "run logs web 20"],
    ["web logs", "run logs web"],
    ["how is web doing?", "run show web"],
    ["is web up?", "run show web true"],
    ["is the web service still running?", "run show service/web true"],
    ["what is running?", "run list"],
    ["what's down?", "run list failed"],
    ["who restarted web?", "run history web restart true"],
    ["what is waiting for approval?", "run pending"],
    ["who am I?", "run whoami"],
    ["show web", "run show web"],
    ["Show WEB.", "run show web"],
    ["list services", "run list services"],
  ])("%s", (text, answer) => expect(heard(text)).toBe(answer));
});

describe("a sentence that changes something is confirmed", () => {
  test.each([
    ["restart the web service please", "confirm restart service/web"],
    ["please restart the redis.cache service.", "confirm restart service/redis.cache"],
    ["can you restart web?", "confirm restart web"],
    ["could you please restart web for us, thanks", "confirm restart web"],
    ["I'd like you to restart web now", "confirm restart web"],
    ["restart web?", "confirm restart web"],
    ["reboot web", "confirm restart web"],
    ["scale web up to 3", "confirm scale web 3"],
    ["please scale web up to three instances", "confirm scale web 3"],
    ["scale web down by one", "confirm scale web -1"],
    ["add 2 instances to web", "confirm scale web +2"],
    ["please delete the job boom", "confirm delete job/boom"],
    ["set the memory of web to 512 mb", "confirm memory web 512"],
    ["set the memory of web to 512Mi", "confirm memory web 512"],
    ["give web 2Gi of memory", "confirm memory web 2048"],
    ["approve k7q2mx please", "confirm approve K7Q2MX"],
  ])("%s", (text, answer) => expect(heard(text)).toBe(answer));

  test("the words of a command run as they do after the slash command", () => {
    expect(heard("restart web")).toBe("run restart web");
    expect(heard("delete job boom.")).toBe("run delete job/boom");
    expect(heard("scale web to 3")).toBe("run scale web 3");
    expect(heard("restart web, worker and api")).toBe("run restart web,worker,api");
    expect(heard('restart web --reason "it does not respond"')).toBe("run restart web");
  });
});

describe("small talk gets the menu", () => {
  test.each(["", "hi", "Hello!", "hey there", "thanks", "Thank you very much!", "thanks :tada:", "good morning", "?"])(
    "%s",
    (text) => expect(heard(text)).toBe("menu"),
  );
});

describe("what isn't understood says so and changes nothing", () => {
  test.each(["the build is broken again", "restart it", "please restart everything", "I restarted web"])("%s", (text) =>
    expect(heard(text)).toMatch(
      /^(?:miss: (?:I didn't understand that|I don't act on everything|`restart` (?:doesn't take|needs a workload)))/u,
    ),
  );

  test.each([
    ["restart web, but only after lunch", "but only after lunch"],
    ["Can you restart web at 18:00?", "at 18:00"],
    ["when web is down restart web", "when web is down"],
    ["should we restart web?", "should we"],
    ["give web 2 more instances until 18:00", "until 18:00"],
    ["scale web to 3 and worker to 2", "and worker to 2"],
    ["restart web today", "today"],
    ["deploy 1.5 to web at 18:00", "at 18:00"],
    ["env web tomorrow PASSWORD=s3cret", "tomorrow"],
  ])("%s: the words beside an order are named", (text, words) => {
    const heard = readMention({ text }, []);
    if (heard.kind !== "miss") throw new Error(heard.kind);
    expect(heard.error.message).toBe(`I didn't understand \`${words}\`. Nothing was changed.`);
    expect(heard.error.suggestions).toEqual([]);
  });

  test("nobody means an order by the twentieth word", () => {
    const long = "at noon when the new release is here and all of the night shift told us that it works well then";

    expect(heard(`${long} scale web to 3`)).toBe("miss: I didn't understand that. Nothing was changed.");
  });

  test("words beside an order that are only polite don't matter", () => {
    expect(heard("restart web, thank you very much")).toBe("confirm restart web");
  });

  test.each(["restart not web", "please don't restart web", "don't restart web", "you must not delete web"])(
    "%s: nothing was changed, and the answer says so",
    (text) => {
      expect(heard(text)).toBe("miss: I didn't understand that. Nothing was changed.");
    },
  );

  test("a command in the middle of a sentence, or with a question behind it, is confirmed or nothing", () => {
    expect(readMention({ text: "scale web 5", before: "whatever happens, don't let " }, []).kind).toBe("miss");
    expect(readMention({ text: "scale web 5", before: "yesterday somebody typed " }, []).kind).toBe("confirm");
    expect(readMention({ text: "scale web 5?!" }, []).kind).toBe("confirm");
  });

  test("a misspelt command still offers the right one", () => {
    expect(heard("shwo web")).toBe("miss: I don't know `shwo`.");
  });
});

const manners = fc.constantFrom("", "please ", "can you ", "hey, ", "I want you to ", "ok ", "so, ");
const no = fc.constantFrom(
  "don't",
  "don’t",
  "dont",
  "do not",
  "never",
  "not",
  "please don't",
  "you must not",
  "nobody should",
  "can't",
  "cannot",
);
const order = fc.constantFrom(
  "restart web",
  "delete web",
  "stop the web service",
  "scale web to 3",
  "scale web 0",
  "start job boom",
);
const negated = fc.oneof(
  fc.tuple(manners, no, order).map(([polite, word, words]) => `${polite}${word} ${words}`),
  fc.tuple(order, no).map(([words, word]) => `${words} ${word}`),
  fc.tuple(order, no).map(([words, word]) => `${words}, ${word}!`),
  fc.tuple(order, no, order).map(([first, word, second]) => `${first} and ${word} ${second}`),
  fc.tuple(order, no).map(([words, word]) => {
    const [verb = "", ...rest] = words.split(" ");
    return [verb, word, ...rest].join(" ");
  }),
);

/** Whether a click or the message itself could change anything. */
function mayWrite(answer: ParsedMention): boolean {
  if (answer.kind === "menu") return false;
  if (answer.kind === "miss") return answer.error.suggestions.some(({ ask }) => !["list", "help"].includes(ask.verb));
  return answer.parsed.command.effect !== "read";
}

test("a sentence with a negation never changes anything", () => {
  fc.assert(
    fc.property(negated, (text) => {
      expect(mayWrite(readMention({ text }, [])), text).toBe(false);
    }),
  );
});

test("no text makes it throw", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (text) => void readMention({ text }, [])));
});
