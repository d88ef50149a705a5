import { WebClient } from "@slack/web-api";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createPeople } from "../../../src/slack/directory/people.ts";
import type { People } from "../../../src/workflow/ports.ts";

/** A Slack that only knows conversations.members, with this many pages; asks are the parameters it was sent. */
async function channelOf(pages: number) {
  const asks: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const asked = new URLSearchParams(Buffer.concat(chunks).toString());
      asks.push(asked);
      const at = Number(asked.get("cursor") ?? "0");
      const next = at + 1 < pages ? String(at + 1) : "";
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ ok: true, members: [`U${at}`], response_metadata: { next_cursor: next } }));
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const { port } = server.address() as AddressInfo; // a TCP server has one
  const people: People = createPeople({
    client: new WebClient("xoxb-1", { slackApiUrl: `http://127.0.0.1:${port}/api/`, retryConfig: { retries: 0 } }),
    teamId: () => Promise.resolve("T1"),
    nowMs: () => 0,
    pace: (_, call) => call(),
    bot: () => ({ userId: "UBOT", name: "gantry", teamId: "T1" }),
    failed: () => "abc",
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
