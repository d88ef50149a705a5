import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { createSealer, readKeyring } from "../../../src/bot/accounts/seal.ts";
import { logDate } from "../../../src/api/log-pages.ts";
import { BEGINNING } from "../../support/test-clock.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { operationOf } from "../../support/operation-of.ts";
import { form } from "../../support/speak.ts";
import { newest, type Person, type World, type WorldOptions, world } from "../../support/world.ts";

type Line = { instance_name: string; log: string };

type Town = World & {
  /** Today's log of `web`. */
  readonly log: Line[];
  /** Requests for its log. */
  readonly looks: () => number;
  /** What the workload API answers instead, while it is set. */
  readonly behind: { instead?: Response | undefined; service: object };
};

async function townLogging(log: Line[], options: Partial<WorldOptions> = {}): Promise<Town> {
  let looks = 0;
  const behind: Town["behind"] = { service: { name: "web", status: "Running", target_instance_size: 2 } };
  const answer = (request: Request): Response => {
    const op = operationOf(request);
    if (op === "getServiceLogs" || op === "getJobInstanceLogs") looks += 1;
    if (behind.instead !== undefined) return behind.instead.clone();
    const { searchParams } = new URL(request.url);
    if (op === "getServiceLogs") {
      if (searchParams.get("date") !== logDate(BEGINNING, "UTC")) return Response.json([]);
      return Response.json(log.slice(-Number(searchParams.get("size"))));
    }
    if (op === "getService" && request.url.endsWith("/web")) return Response.json(behind.service);
    return Response.json({ error: "not found" }, { status: 404 });
  };
  const town = await world({ policy: openPolicy, apiFetch: async (request) => answer(request), ...options });
  return { ...town, log, looks: () => looks, behind };
}

function lines(from: number, to: number, text = "line"): Line[] {
  return Array.from({ length: to - from + 1 }, (_, at) => ({ instance_name: "web-0", log: `${text} ${from + at}.` }));
}

async function says(town: World, text: string, channel = "ops"): Promise<string> {
  await town.developer.says(text, { channel });
  await town.settled();
  return newest(town.developer, channel);
}

async function clicks(town: World, person: Person, label: string): Promise<void> {
  await person.clicks(label);
  await town.settled();
}

/** The next look is due, and made. */
async function looksAgain(town: World, minutes = 0.5): Promise<void> {
  town.passMinutes(minutes);
  await town.sweep();
}

/** The numbers of the lines in the thread of a follow in #ops, in order. */
function told(town: World, word = "line"): number[] {
  const text = town.thread("ops").slice(1).join("\n");
  return [...text.matchAll(new RegExp(`${word} (\\d+)\\.`, "gu"))].map(([, number]) => Number(number));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

const head = (town: World): string => town.thread("ops")[0] ?? "";

describe("a log is followed into a thread, in messages that grow", () => {
  test("new lines come as they are written, each once, until the time is over", async () => {
    await using town = await townLogging(lines(1, 30));

    await says(town, "/gantry logs web --follow --for 5m");
    expect(head(town)).toMatch(/^▶️ Following web · for 5 min\n[\s\S]*\[Stop following\]$/u);
    expect(told(town)).toEqual(range(21, 30));

    for (const at of [31, 34]) {
      town.log.push(...lines(at, at + 2));
      await looksAgain(town, 0.2);
    }
    expect(told(town)).toEqual(range(21, 36));
    expect(town.thread("ops").length).toBe(2);

    await looksAgain(town, 5);
    expect(head(town)).toMatch(
      /^⏹️ Followed web for 5 min · 16 lines\nThe time was over\.\n[\s\S]*\[Follow again\] \[Logs\]$/u,
    );
    expect(told(town)).toEqual(range(21, 36));
    expect(town.thread("ops").at(-1)).toMatch(/The time was over\.$/u);
    const looks = town.looks();
    await looksAgain(town);
    expect(town.looks()).toBe(looks);
  });

  test("a message that is long enough is followed by another one", async () => {
    await using town = await townLogging(lines(1, 1));
    await says(town, "/gantry logs web --follow");

    for (let at = 2; at <= 62; at += 20) {
      town.log.push(...lines(at, at + 19, `${"x".repeat(60)} line`));
      await looksAgain(town, 0.2);
    }
    expect(told(town)).toEqual(range(1, 81));
    expect(town.thread("ops").length).toBeGreaterThan(2);
  });

  test("the next bot goes on where the last one died, whenever that was", async () => {
    await using town = await townLogging(lines(1, 5));
    await says(town, "/gantry logs web --follow");
    await town.crashBot();
    town.log.push(...lines(6, 9));
    await looksAgain(town);
    town.log.push(...lines(10, 12));
    await looksAgain(town);

    expect(told(town)).toEqual(range(1, 12));
  });

  test("a lost answer of Slack neither loses nor repeats a line", async () => {
    await using town = await townLogging(lines(1, 5));
    await says(town, "/gantry logs web --follow");

    for (let at = 6; at <= 18; at += 4) {
      town.log.push(...lines(at, at + 3));
      town.playground.faults.answer("chat.update", at % 8 === 2 ? "lost" : "500", 1);
      await looksAgain(town);
    }
    town.playground.faults.answerNormally("chat.update");
    await looksAgain(town);
    await looksAgain(town);
    expect(told(town)).toEqual(range(1, 21));
  });
});

test("a Stop that reaches another Gantry on the same Slack app doesn't say that the log's time is over", async () => {
  await using first = await townLogging(lines(1, 5), { transport: "socket" });
  await says(first, "/gantry logs web --follow");
  await using second = await townLogging([], { transport: "socket", slack: first.slack });
  await first.stopBot();

  await clicks(second, first.developer, "Stop following");

  expect(head(first)).toBe("I'm not following this log.");
});

describe("one message that fails doesn't end it", () => {
  test.each(["message_not_found", "edit_window_closed", "invalid_blocks"])(
    "lines that an edit can't add, because of %s, get a message of their own",
    async (error) => {
      await using town = await townLogging(lines(1, 3));
      await says(town, "/gantry logs web --follow");
      town.playground.faults.answer("chat.update", { error }, 2);
      town.log.push(...lines(4, 6));
      // Sooner than an edit is tried again.
      for (let look = 0; look < 4; look += 1) await looksAgain(town, 0.2);
      expect(told(town)).toEqual(range(1, 6));
      town.log.push(...lines(7, 8));
      await looksAgain(town);

      expect(told(town)).toEqual(range(1, 8));
      expect(head(town)).toMatch(/^▶️ Following/u);
    },
  );

  test("while Slack doesn't show its lines, the log isn't read", async () => {
    await using town = await townLogging(lines(1, 3));
    await says(town, "/gantry logs web --follow");
    town.playground.faults.answer("chat.update", "500");
    town.log.push(...lines(4, 6));
    await looksAgain(town, 0.2);
    const looks = town.looks();
    for (let at = 7; at < 12; at += 1) {
      town.log.push(...lines(at, at));
      await looksAgain(town, 0.2);
    }
    expect(town.looks()).toBe(looks);

    town.playground.faults.clear();
    for (let look = 0; look < 4; look += 1) await looksAgain(town, 0.5);
    expect(told(town)).toEqual(range(1, 11));
  });
});

describe("its end is told, and it takes no place any more", () => {
  test("in the thread, while its messages can't be edited, and in its first message when they can", async () => {
    await using town = await townLogging(lines(1, 3));
    await says(town, "/gantry logs web --follow");
    town.playground.faults.answer("chat.update", { error: "edit_window_closed" });

    await clicks(town, town.developer, "Stop following");
    await looksAgain(town);

    expect(town.thread("ops").at(-1)).toMatch(/Stopped by Dana Reyes\./u);
    expect(head(town)).toMatch(/^▶️ Following/u);
    expect(await town.store().followsOf({ teamId: "T0PLAYGR", channelId: "C0OPS", requesterId: "U0DANA" })).toEqual([]);
    town.playground.faults.clear();
    await looksAgain(town, 5);
    expect(head(town)).toMatch(/^⏹️ Followed web[^]*Stopped by Dana Reyes\./u);
  });

  test("in a channel that is archived, when it is back", async () => {
    await using town = await townLogging(lines(1, 3));
    await says(town, "/gantry logs web --follow --for 5m");
    town.playground.people.archive("ops");
    for (let minute = 0; minute < 7; minute += 1) await looksAgain(town, 1);

    town.playground.people.unarchive("ops");
    for (let minute = 0; minute < 5; minute += 1) await looksAgain(town, 1);

    expect(head(town)).toMatch(/^⏹️ Followed web/u);
  });

  test("when the first message was deleted: it isn't posted again", async () => {
    await using town = await townLogging(lines(1, 3));
    await says(town, "/gantry logs web --follow --for 5m");
    const first = town.developer.sees("ops").find(({ text }) => text.startsWith("▶️"));
    town.playground.people.removeMessage("ops", first?.ts ?? "");
    for (let minute = 0; minute < 7; minute += 1) await looksAgain(town, 1);

    expect(town.developer.sees("ops").filter(({ text }) => /^(?:▶️|⏹️)/u.test(text))).toEqual([]);
    expect(await town.store().followsOf({ teamId: "T0PLAYGR", channelId: "C0OPS", requesterId: "U0DANA" })).toEqual([]);
  });
});

describe("it ends", () => {
  test("by Stop, of whoever may read the log", async () => {
    await using town = await townLogging(lines(1, 3));
    await says(town, "/gantry logs web --follow");
    town.log.push(...lines(4, 5));

    await clicks(town, town.approver, "Stop following");
    await looksAgain(town);
    expect(head(town)).toMatch(/⏹️ Followed web .*\nStopped by Alex .*\.\n/u);
    expect(head(town)).not.toContain("[Stop following]");
    expect(town.thread("ops").at(-1)).toMatch(/Stopped by Alex/u);
  });

  test("by words: of that workload, or of all that the person follows here", async () => {
    await using town = await townLogging(lines(1, 3));
    const ended = (): number => town.developer.sees("ops").filter(({ text }) => /Stopped by Dana/u.test(text)).length;
    await says(town, "/gantry logs web --follow");

    expect(await says(town, "/gantry stop following worker")).toMatch(/^The log of worker isn't followed here\./u);
    expect(await says(town, "/gantry unfollow job/web")).toMatch(/^The log of web isn't followed here\./u);
    expect(await says(town, "/gantry stop following", "general")).toMatch(/^No log is followed here\./u);
    expect(await says(town, "/gantry stop following it", "general")).toMatch(/^No log is followed here\./u);
    for (const [words = "", channel = ""] of [
      ["/gantry unfollow service/web", "ops"],
      ["@gantry stop following", "ops"],
      ["/gantry stop following it", "ops"],
      // Their own may be elsewhere.
      ["/gantry stop following web", "general"],
    ]) {
      const before = ended();
      await looksAgain(town);
      expect(ended(), words).toBe(before);
      await says(town, words, channel);
      expect(
        town.developer.sees(channel).some(({ text }) => text.includes("Stopped following web")),
        words,
      ).toBe(true);
      await looksAgain(town);
      expect(ended(), words).toBeGreaterThan(before);
      expect(await says(town, "/gantry unfollow")).toMatch(/^No log is followed here\./u);
      await says(town, "/gantry logs web --follow");
    }
  });

  test("by words of others, where their own isn't followed", async () => {
    await using town = await townLogging(lines(1, 3));
    await says(town, "/gantry logs web --follow");

    await town.approver.says("/gantry unfollow", { channel: "ops" });
    await town.settled();
    await looksAgain(town);
    expect(head(town)).toMatch(/Stopped by Alex .*\.\n/u);
  });

  test("not by words of somebody who may not read the log", async () => {
    await using town = await townLogging(lines(1, 3), { policy: openPolicy.replace("members", "U0DANA") });
    await says(town, "/gantry logs web --follow");

    await town.approver.says("/gantry unfollow", { channel: "ops" });
    await town.settled();
    expect(newest(town.approver, "ops")).toMatch(/^No log is followed here\./u);
    await looksAgain(town);
    expect(head(town)).toContain("▶️ Following web");
  });

  test("a bare stop opens its form where the database doesn't say in time what is followed", async () => {
    let isAsked = false;
    await using town = await townLogging(lines(1, 3), {
      store: (real) => ({
        ...real,
        followsOf() {
          isAsked = true;
          return Promise.withResolvers<never>().promise;
        },
      }),
    });

    // Slack has its ack by then.
    await town.developer.says("/gantry stop", { channel: "ops" });
    await town.until(() => isAsked);
    town.passMinutes(1.5 / 60);
    await town.until(() => town.developer.modal() !== undefined);

    expect(form(town.developer)).toContain("Stop a service");
  });

  test("a bare stop offers it first", async () => {
    await using town = await townLogging(lines(1, 3));
    const { developer } = town;
    await says(town, "/gantry logs web --follow");

    for (const words of ["/gantry stop", "@gantry stop"]) {
      const offered = /Stop what\? A log is followed\.[\s\S]*\[Stop following web\] \[Stop a service…\]/u;
      expect(await says(town, words), words).toMatch(offered);
    }
    await clicks(town, developer, "Stop following web");
    await looksAgain(town);
    expect(developer.sees("ops").some(({ text }) => /Stopped by Dana/u.test(text))).toBe(true);
    expect(await says(town, "@gantry stop")).toContain("needs a workload");
  });

  test("when the workload was deleted", async () => {
    await using town = await townLogging(lines(1, 3));
    await says(town, "/gantry logs web --follow");
    town.behind.instead = Response.json({ error: "not found" }, { status: 404 });

    await looksAgain(town, 1);
    expect(head(town)).toContain("The service was deleted.");
  });

  test("without saying how, when policy hides the log before Slack takes its end", async () => {
    await using town = await townLogging(lines(1, 3));
    await says(town, "/gantry logs web --follow");
    town.playground.faults.answer("chat.update", { error: "internal_error" });
    town.behind.instead = Response.json({ error: "not found" }, { status: 404 });
    await looksAgain(town, 1);

    town.setPolicy("rules: [{ name: none, who: everyone, does: anything, then: refuse }]");
    town.playground.faults.clear();
    await looksAgain(town, 5);

    expect(head(town)).toMatch(/^⏹️ Followed web[^]*may not read this log any more\./u);
    expect(head(town)).not.toContain("deleted");
  });

  test("when the workload API refuses the account, or doesn't answer for minutes", async () => {
    await using town = await townLogging(lines(1, 3));
    await says(town, "/gantry logs web --follow --for 30m");
    town.behind.instead = Response.json({ error: "busy" }, { status: 503 });
    await looksAgain(town, 1);
    expect(head(town)).toContain("▶️ Following web");
    for (let minutes = 0; minutes < 5; minutes += 1) await looksAgain(town, 1);
    expect(head(town)).toContain("The log couldn't be read for 5 min.");

    town.behind.instead = undefined;
    await says(town, "/gantry logs web --follow");
    town.behind.instead = Response.json({ error: "no" }, { status: 403 });
    await looksAgain(town, 1);
    expect(head(town)).toContain("The workload API refuses the account");
  });

  test("when its person may not read the log any more", async () => {
    await using town = await townLogging(lines(1, 3));
    await says(town, "/gantry logs web --follow");
    town.log.push(...lines(4, 5));

    town.playground.people.deactivate("dana");
    await town.settled();
    await looksAgain(town, 1);
    expect(head(town)).toContain("may not read this log any more.");
    expect(told(town)).toEqual([1, 2, 3]);
  });
});

test("it ends when its person leaves the channel", async () => {
  await using town = await townLogging(lines(1, 3));
  await says(town, "/gantry logs web --follow");
  town.playground.people.remove("ops", "dana");
  town.log.push(...lines(4, 5));
  await looksAgain(town, 2);
  await looksAgain(town, 2);

  const seen = town.approver.sees("ops").map(({ text }) => text);
  expect(seen.find((text) => text.startsWith("⏹️"))).toContain("Dana Reyes left the channel.");
  expect(seen.join("\n")).not.toContain("line 4.");
});

test("a log that an earlier version follows goes on in the messages that are there", async () => {
  await using town = await townLogging(lines(1, 3));
  await says(town, "/gantry logs web --follow");
  const grown = town.developer.sees("ops").find(({ text }) => text.includes("line 3."));
  const sealer = createSealer(readKeyring(town.keys));
  const db = new DatabaseSync(join(town.dataDir, "gantry.sqlite"));
  const { id, sealed } = db.prepare("select id, sealed from follow").get() as { id: string; sealed: string }; // two texts
  const {
    block,
    isPosted: _,
    ...others
  } = JSON.parse(sealer.open(sealed, ["follow", id])) as {
    block: { text: string };
    isPosted: boolean;
  }; // as it is written now
  const message = { ts: grown?.ts, how: "edit", startedMs: 0, steps: 0, text: block.text, drawn: block.text.length };
  const before = { ...others, message, how: "edit", isOpen: true, isShown: true };
  db.prepare("update follow set sealed = ?").run(sealer.seal(JSON.stringify(before), ["follow", id]));
  db.exec("delete from post where kind like 'follow%'");
  db.close();

  town.log.push(...lines(4, 6));
  for (let look = 0; look < 3; look += 1) await looksAgain(town);

  expect(told(town)).toEqual(range(1, 6));
  expect(town.thread("ops").length).toBe(2);
  await clicks(town, town.developer, "Stop following");
  await looksAgain(town);
  expect(head(town)).toMatch(/^⏹️ Followed web/u);
});

test("a follow that a restore ends says so in its first message, and repeats no line", async () => {
  await using town = await townLogging(lines(1, 3));
  await says(town, "/gantry logs web --follow");
  const db = new DatabaseSync(join(town.dataDir, "gantry.sqlite"));
  // As the first start over a backup does it.
  db.exec("delete from post; update follow set stopped_by = 'a restore from a backup'");
  db.close();

  for (let look = 0; look < 3; look += 1) await looksAgain(town);

  expect(head(town)).toMatch(/^⏹️ Followed web[^]*Stopped by a restore from a backup\./u);
  expect(told(town)).toEqual(range(1, 3));
  expect(town.thread("ops").length).toBe(2);
});

test("neither the filter nor a line can be read in the database", async () => {
  await using town = await townLogging([{ instance_name: "web-0", log: "herring line 1." }]);
  await says(town, "/gantry logs web --follow --grep herring");

  const files = readdirSync(town.dataDir).filter((name) => name.startsWith("gantry.sqlite"));
  const bytes = files.map((name) => readFileSync(join(town.dataDir, name), "latin1")).join("\n");
  expect(told(town)).toEqual([1]);
  expect(bytes).not.toContain("herring");
});

test("few logs are followed at once", async () => {
  await using town = await townLogging(lines(1, 3));
  await says(town, "/gantry logs web --follow");
  await says(town, "/gantry logs web --follow");

  expect(await says(town, "/gantry logs web --follow")).toContain("You already follow 2 logs.");
});

test("where the bot isn't, it is said how to invite it, and nothing is followed", async () => {
  await using town = await townLogging(lines(1, 3));

  expect(await says(town, "/gantry logs web --follow", "general")).toContain("/invite");
  const looks = town.looks();
  await looksAgain(town);
  expect(town.looks()).toBe(looks);
});

test("while Slack limits messages, it is said that the log isn't followed, and that it may be a minute later", async () => {
  await using town = await townLogging(lines(1, 3));
  town.playground.faults.answer("chat.postMessage", "429", 1);

  const said = await says(town, "/gantry logs web --follow");

  expect(said).toMatch(/didn't confirm my message, so the log isn't followed\..*Try again in a minute/su);
  const place = { teamId: "T0PLAYGR", channelId: "C0OPS", requesterId: "U0DANA" };
  expect(await town.store().followsOf(place)).toEqual([]);
});

test("in a thread, a direct message, by a mention and by a button, lines come where it was asked", async () => {
  await using town = await townLogging(lines(1, 3));
  const { developer } = town;
  await says(town, "logs web --follow", "@gantry");
  expect(
    developer
      .sees("@gantry")
      .map(({ text }) => text)
      .join("\n"),
  ).toMatch(/▶️ Following web[\s\S]*line 3\./u);

  const { ts = "" } = await developer.says("@gantry follow the logs of web", { channel: "ops" });
  await town.settled();
  const thread = developer.sees("ops").filter(({ threadTs }) => threadTs === ts);
  expect(thread.map(({ text }) => text).join("\n")).toMatch(/▶️ Following web[\s\S]*line 3\./u);
  await clicks(town, developer, "Stop following");
  await looksAgain(town);

  await says(town, "/gantry logs web");
  await clicks(town, developer, "Follow");
  expect(
    developer
      .sees("ops")
      .map(({ text }) => text)
      .at(-2),
  ).toContain("▶️ Following web");
});

test("a quiet log is looked at less often, and never more than once in three seconds", async () => {
  await using town = await townLogging(lines(1, 3));
  await says(town, "/gantry logs web --follow");
  const before = town.looks();
  for (let seconds = 0; seconds < 60; seconds += 2) await looksAgain(town, 2 / 60);

  expect(town.looks() - before).toBeLessThan(60 / 10 + 1);
});
