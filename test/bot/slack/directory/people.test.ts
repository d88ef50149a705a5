import { stillClock } from "../../../support/test-clock.ts";
import { WebClient } from "@slack/web-api";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { expect, test } from "vitest";
import { createPeople } from "../../../../src/bot/slack/directory/people.ts";
import type { People } from "../../../../src/bot/workflow/ports.ts";

const noRows = { profilesOf: async () => [], saveProfiles: async () => {}, forgetProfile: async () => {} };

type Answer = (asked: URLSearchParams) => object;

/** A Slack that gives one kind of answer; asks are the parameters it was sent. */
async function slackOf(answer: Answer) {
  const asks: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const asked = new URLSearchParams(Buffer.concat(chunks).toString());
      asks.push(asked);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ ok: true, ...answer(asked) }));
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const { port } = server.address() as AddressInfo; // a TCP server has one
  const people: People = createPeople({
    client: new WebClient("xoxb-1", { slackApiUrl: `http://127.0.0.1:${port}/api/`, retryConfig: { retries: 0 } }),
    teamId: () => Promise.resolve("T1"),
    clock: stillClock(),
    wait: () => Promise.resolve(),
    store: noRows,
    log: pino({ level: "silent" }),
    bot: () => ({ userId: "UBOT", name: "gantry", teamId: "T1" }),
  });
  return {
    people,
    asks,
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

/** conversations.members with this many pages. */
const channelOf = (pages: number) =>
  slackOf((asked) => {
    const at = Number(asked.get("cursor") ?? "0");
    const next = at + 1 < pages ? String(at + 1) : "";
    return { members: [`U${at}`], response_metadata: { next_cursor: next } };
  });

test("a channel is read to its end, fewer than 1,000 members at a time", async () => {
  await using slack = await channelOf(3);

  const members = await slack.people.channelMembers("C1", 10_000);

  expect([...(members ?? [])]).toEqual(["U0", "U1", "U2"]);
  expect(slack.asks.map((asked) => asked.get("limit"))).toEqual(["999", "999", "999"]);
});

test("a channel that never ends is given up with a sentence, not read for ever or in part", async () => {
  await using slack = await channelOf(1_000);

  await expect(slack.people.channelMembers("C1", 10_000)).rejects.toThrow(/more than 24975 members/u);
  expect(slack.asks).toHaveLength(25);
});

test.each([
  ["an admin", { team_id: "T1", is_admin: true }, { standing: "member", isAdmin: true }],
  ["an owner", { team_id: "T1", is_owner: true }, { standing: "member", isAdmin: true }],
  ["anybody else", { team_id: "T1", is_admin: false, is_owner: false }, { standing: "member", isAdmin: false }],
  ["somebody without these flags", { team_id: "T1" }, { standing: "member", isAdmin: false }],
  ["an admin of another organization", { team_id: "T2", is_admin: true }, { standing: "outsider", isAdmin: false }],
  [
    "a deactivated admin",
    { team_id: "T1", is_admin: true, deleted: true },
    { standing: "deactivated", isAdmin: false },
  ],
])("admins are admins of this workspace: %s", async (_, fields, expected) => {
  await using slack = await slackOf(() => ({ user: { id: "U1", name: "dana", ...fields } }));

  expect(await slack.people.profile("U1", 10_000)).toMatchObject(expected);
});
