import { expect, test } from "vitest";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import type { Message } from "../../../../src/bot/views/kit/post.ts";
import { createReply, withAccount } from "../../../../src/bot/workflow/reply.ts";
import { changeWatches } from "../../../../src/bot/workflow/propose/change-watches.ts";
import { annHere, desk, openPolicy } from "../support/desk.ts";

test.each([
  ["the channel reads", "C1", "announced"],
  ["somebody reads alone", "D1", "told"],
])("the buttons of a new watch that %s act for the account that it was begun with", async (_who, channelId, where) => {
  const { deps, signal } = await desk({ policy: openPolicy });
  const sent: { readonly where: string; readonly message: string }[] = [];
  const responder = {
    ...deps.responder,
    tell: async (message: Message) => sent.push({ where: "told", message: JSON.stringify(message) }) > 0,
  };
  const deliver: typeof deps.deliver = async ({ id: key }, teamId) => {
    const post = await deps.store.postOf({ key, teamId });
    return sent.push({ where: "announced", message: post?.payload ?? "" }) > 0;
  };
  const origin = { ...annHere, channelId };
  const { ask } = parseText("watch service/web");

  await changeWatches(
    { ...deps, responder, deliver },
    { ask, origin, reply: withAccount(createReply(responder, origin)) },
    signal,
  );

  expect(sent.map((each) => each.where)).toEqual([where]);
  const ids = sent[0]?.message.match(/"action_id":"[^"]*"/gu) ?? [];
  expect(ids.filter((id) => id.includes("@acme"))).not.toEqual([]);
});
