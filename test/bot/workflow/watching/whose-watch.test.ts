import { expect, test } from "vitest";
import { parseText } from "../../../../src/bot/commands/grammar/parse.ts";
import type { Message } from "../../../../src/bot/views/kit/post.ts";
import { createReply, withAccount } from "../../../../src/bot/workflow/reply.ts";
import { changeWatches } from "../../../../src/bot/workflow/propose/change-watches.ts";
import { annHere, desk, openPolicy } from "../support/desk.ts";
import { shownAlert } from "../../../../src/bot/workflow/watching/alert-post.ts";
import { cardOf, incident } from "../../views/support/alerts.ts";

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

test.each([
  ["of one account act for it", ["acme"], true],
  ["of two accounts act for whoever clicks", ["acme", "dana-own"], false],
])("the buttons of an alert about workloads %s", async (_what, accounts, areOfOne) => {
  const { deps } = await desk();
  const incidents = accounts.map((account, each) => ({ ...incident, id: `i${each}`, account, name: `web-${each}` }));

  const content = { ...cardOf(incidents), incidents, watches: [], instead: [], mute: undefined, readsHistory: true };
  const card = await shownAlert(deps, content).card({ isAgain: false });

  const ids = JSON.stringify(card.blocks).match(/"action_id":"[^"]*"/gu) ?? [];
  expect(ids.length).toBeGreaterThan(1);
  expect(ids.some((id) => id.includes("@acme"))).toBe(areOfOne);
});

test("whom an incident was handed to is mentioned in the channel, and not to those who read it instead of the channel", async () => {
  const { deps } = await desk();
  const ann = { userId: "U1", name: "Ann" };
  const taken = { userId: "U2", name: "Omar", at: new Date(5), from: ann, isHanded: true };
  const card = cardOf([incident]);
  const lacking = (isDirect: boolean): readonly string[] | undefined => {
    const content = { ...card, alert: { ...card.alert, taken }, isDirect, incidents: [incident], watches: [] };
    const shown = shownAlert(deps, { ...content, instead: [], mute: undefined, readsHistory: true });
    return shown.kept?.lacks({ sentKeys: ["lines"], isShown: true, isNew: false });
  };

  expect(lacking(false)).toEqual(["handed 5"]);
  expect(lacking(true)).toEqual([]);
});
