import { expect, test } from "vitest";
import { shownAlert } from "../../../../src/bot/workflow/watching/alert-post.ts";
import { alert, incident } from "../../views/support/alerts.ts";
import { desk } from "../support/desk.ts";

test.each([
  ["of one account act for it", ["acme"], true],
  ["of two accounts act for whoever clicks", ["acme", "dana-own"], false],
])("the buttons of an alert about workloads %s", async (_what, accounts, areOfOne) => {
  const { deps } = await desk();
  const incidents = accounts.map((account, each) => ({ ...incident, id: `i${each}`, account, name: `web-${each}` }));

  const content = {
    alert: { ...alert, incidents },
    incidents,
    watches: [],
    instead: [],
    isMuted: false,
    readsHistory: true,
  };
  const card = await shownAlert(deps, content, []).card({ isAgain: false });

  const ids = JSON.stringify(card.blocks).match(/"action_id":"[^"]*"/gu) ?? [];
  expect(ids.length).toBeGreaterThan(1);
  expect(ids.some((id) => id.includes("@acme"))).toBe(areOfOne);
});
