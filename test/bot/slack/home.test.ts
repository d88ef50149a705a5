import { expect, test } from "vitest";
import { homeLater } from "../../../src/bot/slack/home.ts";
import type { WorkspaceParts } from "../../../src/bot/slack/parts.ts";
import { annHere, desk } from "../workflow/support/desk.ts";

test("Home shows the account that its owner uses by now, also after a click on something of another one", async () => {
  const { deps } = await desk();
  const drawn: string[] = [];
  const messenger = {
    publishHome: async ({ view }: { readonly view: unknown }) => ({ ok: drawn.push(JSON.stringify(view)) > 0 }),
  };
  const parts = { ...deps, messenger } as unknown as WorkspaceParts; // all that Home uses

  homeLater(parts, { ...annHere, channelId: annHere.userId, isHome: true, account: "before" });
  await deps.lanes.idle();

  expect(drawn.at(-1)).toContain("Acting as acme");
});
