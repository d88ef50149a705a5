import { describe, expect, test } from "vitest";
import { readSlash } from "../../../../src/bot/commands/grammar/mention-words.ts";
import { changes, conditions, doors, namesIn, regions } from "../support/doors.ts";

describe.each(["mute", "watch", "unwatch", "restart", "stop", "start", "delete", "rollback", "list"])(
  "%s *web*",
  (verb) => {
    test.each(Object.entries(doors))("%s", (door, read) => {
      const isPattern = door === "slash command";
      expect(namesIn(read(`${verb} *web*`))).toEqual([isPattern ? "*web*" : "web"]);
      // Quoted, it is a pattern everywhere.
      expect(namesIn(read(`${verb} "*web*"`))).toEqual(["*web*"]);
    });
  },
);

/** Complete orders, one for each verb that changes something, in words and in a sentence. */
const orders = [
  "restart web",
  "stop web",
  "start web and worker",
  "delete web",
  "scale web to 3",
  "memory web 512",
  "deploy web 1.5",
  "rollback web",
  "rollback web to 3",
  "run nightly",
  "domains web add shop.example.com",
  "approve K7Q2MX",
  "cancel K7Q2MX",
  "watch web",
  "mute web 2h",
  "please restart web",
  "can you restart web",
  "give web two more instances",
  "set the memory of web to 512",
  "deploy 1.5 to web",
  "roll web back to 3",
];

describe.each(Object.entries(doors))(
  "%s: a time, a place, a condition or an exception isn't dropped",
  (_door, read) => {
    test.each(orders)("%s", (order) => {
      expect(changes(read(order)), order).toHaveLength(1);
      for (const condition of conditions) {
        const answer = read(`${order} ${condition}`);
        expect(changes(answer), condition).toEqual([]);
        const said = answer.kind === "miss" ? answer.error.message : answer.kind;
        const [first = ""] = condition.split(" ");
        expect(said).toMatch(new RegExp(`\`(?:${first}|${condition})\``, "u"));
      }
    });

    test("a region is understood where there is one", () => {
      for (const order of ["restart web", "scale web to 3", "deploy web 1.5", "deploy 1.5 to web"]) {
        for (const place of ["in us", "to us", "in the us region"]) {
          const answer = read(`${order} ${place}`);
          expect(answer.kind === "confirm" && answer.parsed.ask.region, `${order} ${place}`).toBe("us");
        }
      }
    });

    test("manners don't matter", () => {
      for (const words of ["now", "please", "thanks", "again", "thank you very much"]) {
        expect(read(`restart web ${words}`).kind, words).toBe("confirm");
      }
    });
  },
);

test("what was left over is refused with what to do", () => {
  const answer = (text: string): string => {
    const read = readSlash(text, regions);
    return read.kind === "miss" ? `${read.error.message} ${read.error.next ?? ""}` : read.kind;
  };

  expect(answer("restart web if it crashes")).toMatchInlineSnapshot(
    `"I didn't understand \`if it crashes\`. Nothing was changed. I can't follow a time, a condition or an exception. Leave it out to do the rest now."`,
  );
  expect(answer("deploy web 1.5 to production")).toMatchInlineSnapshot(
    `"I didn't understand \`to production\`. Nothing was changed. If it is a region, write \`--region production\`."`,
  );
  expect(answer("restart web soon")).toMatchInlineSnapshot(
    `"I didn't understand \`soon\`. Nothing was changed. I can't follow a time, a condition or an exception. Leave it out to do the rest now. If it is a name, write \`service/soon\`."`,
  );
  expect(answer("restart web --reason it is slow")).toMatchInlineSnapshot(
    `"\`restart\` doesn't take \`is\`. Put the whole reason in quotes."`,
  );
  expect(answer("please restart web tomorrow PASSWORD=s3cret")).toMatchInlineSnapshot(
    `"I didn't understand \`tomorrow\`. Nothing was changed. I can't follow a time, a condition or an exception. Leave it out to do the rest now."`,
  );
  expect(answer("scale web 4 --reason it is slow")).toMatchInlineSnapshot(
    `"\`scale\` doesn't take \`is\`. Put the whole reason in quotes."`,
  );
  expect(answer("restart web in 10")).not.toContain("region");
  expect(answer("restart web in the evening")).not.toContain("region");
  expect(answer("deploy web 1.5 to production.")).toContain("`--region production`");
  expect(answer("show web at 18:00")).toMatchInlineSnapshot(
    `"\`show\` doesn't take \`at\`. Remove it, or put words that belong together in quotes."`,
  );
});

describe.each(Object.entries(doors))("%s: words that look like a name or an image", (_door, read) => {
  test.each([
    ["restart web 18:00", "18:00"],
    ["rollback web 9am", "9am"],
    ["rollback web 18:00", "18:00"],
    ["rollback web in 3", "in 3"],
    ["deploy web tonight", "tonight"],
    ["deploy web 1.5 tomorrow morning", "tomorrow morning"],
    ["deploy web v2 to production!", "to production"],
    ["deploy web latest to production", "to production"],
    ["restart web and", "and"],
    ["restart web tomorrow --region us", "tomorrow"],
    ["restart web without downtime now", "without downtime now"],
    ["stop web instead now", "instead now"],
    ["restart it at 18:00", "it at 18:00"],
    ["tonight memory web 512.", "tonight"],
  ])("%s", (text, words) => {
    const answer = read(text);
    if (answer.kind !== "miss") throw new Error(answer.kind);
    const { message, usage, suggestions } = answer.error;
    expect({ message, usage, suggestions }).toEqual({
      message: `I didn't understand \`${words}\`. Nothing was changed.`,
      usage: undefined,
      suggestions: [],
    });
  });

  test("a token isn't said back", () => {
    for (const text of ["connect my account tomorrow hunter2", "please connect my account with hunter2"]) {
      const answer = read(text);
      expect(answer.kind === "miss" ? `${answer.error.message}${answer.error.next}` : answer.kind, text).not.toContain(
        "hunter2",
      );
    }
  });
});

describe.each(Object.entries(doors))("%s: a number behind a rollback is a revision", (_door, read) => {
  test.each([
    "rollback web 1",
    "rollback web to 1",
    "rollback web version 1",
    "rollback web to version 1",
    "roll back web to revision 1",
    "rollback service web to Revision 1",
    "roll web back to 1",
    "roll web back to version 1",
    "take web back to revision 1",
    "revert web to version 1",
  ])("%s", (text) => {
    const answer = read(text);
    if (answer.kind !== "run" && answer.kind !== "confirm") throw new Error(answer.kind);
    const { verb, args } = answer.parsed.ask;
    expect({ verb, ...args }).toEqual({
      verb: "rollback",
      name: expect.stringMatching(/^(?:service\/)?web$/u),
      revision: "1",
    });
  });

  test("an image is one", () => {
    for (const text of ["roll web back to version 1.4", "revert web to 1.4", "roll back web to shop/web:1.4"]) {
      const answer = read(text);
      const offered = answer.kind === "miss" ? answer.error.suggestions.map(({ ask }) => ask) : [];
      const asked = answer.kind === "confirm" ? [answer.parsed.ask] : offered;
      expect(
        asked.map(({ verb }) => verb),
        text,
      ).toEqual(["deploy"]);
    }
  });
});

/** A name in the place of NAME. */
const withName = [
  "restart NAME",
  "stop NAME",
  "start NAME",
  "delete NAME",
  "scale NAME 3",
  "memory NAME 512",
  "deploy NAME 1.5",
  "rollback NAME",
  "rollback NAME 3",
  "show NAME",
  "why NAME",
  "logs NAME",
  "versions NAME",
  "run NAME",
  "watch NAME",
  "mute NAME 2h",
  "history NAME",
  "undo NAME",
  "can you restart NAME",
  "scale NAME to 3",
  "why is NAME down",
  "show me the logs of NAME",
  "roll NAME back to 3",
];

const kinds: Readonly<Record<string, readonly string[]>> = {
  "statefulset/db": [
    "statefulset/db",
    "StatefulSet/db",
    "statefulsets.apps/DB",
    "sts/db",
    "statefulset db",
    "db statefulset",
  ],
  "deployment/db": ["deployment/db", "deploy/db", "deployment.apps/db", "deployment db", "db deployment"],
  "daemonset/db": ["daemonset/db", "ds/db", "daemonset db"],
  "cronjob/db": ["cronjob/db", "cj/db", "cronjobs.batch/db", "cronjob db", "db cronjob"],
};

describe.each(Object.entries(doors))("%s: a named kind is part of the name", (_door, read) => {
  test.each(withName)("%s", (words) => {
    for (const [name, ways] of Object.entries(kinds)) {
      for (const way of ways) expect(namesIn(read(words.replace("NAME", way))), way).toEqual([name]);
    }
    expect(namesIn(read(words.replace("NAME", "svc/db")))).toEqual(["service/db"]);
    expect(namesIn(read(words.replace("NAME", "job/db")))).toEqual(["job/db"]);
  });

  test("also of several", () => {
    const names = (text: string) => namesIn(read(text));
    expect(names("restart statefulsets db web")).toEqual(["statefulset/db", "statefulset/web"]);
    expect(names("restart the db and web statefulsets")).toEqual(["statefulset/db", "statefulset/web"]);
    expect(names("restart db statefulset, web deployment and api")).toEqual([
      "statefulset/db",
      "deployment/web",
      "api",
    ]);
    expect(names("deploy sts/db web 1.5")).toEqual(["statefulset/db", "web"]);
    expect(names("restart service web worker")).toEqual(["service/web", "worker"]);
    expect(names("restart deployment")).toEqual(["deployment"]);
  });
});
