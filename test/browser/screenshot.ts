import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { world } from "../support/world.ts";
import { launchChromium, missingChromium } from "./support/chromium.ts";
import { sceneService } from "./support/scene.ts";
import { openWindow } from "./support/window.ts";

// The README's picture, of the real bot and the real page: npm run screenshot

const target = new URL("../../docs/playground.png", import.meta.url);
const moment = Date.parse("2026-11-20T09:41:00Z");

// Two votes, so that the picture shows a request with one of them.
const policy = `
rules:
  - name: read access
    who: members
    does: read
    then: allow
  - name: two for the shop
    who: members
    does: disruptive
    then: { approve: { votes: 2, from: [S0ONCALL, channel-members], expires: 30m } }
`;

async function take(): Promise<void> {
  await using town = await world({ apiFetch: sceneService(), policy });
  await using browser = await launchChromium();
  town.passMinutes((moment - Date.now()) / 60_000);
  const onProblem = (problem: string): void => void process.stderr.write(`${problem}\n`);
  await using dana = await openWindow(browser, { url: town.playgroundUrl, scale: 2, onProblem, time: moment });
  const alex = town.approver;
  await alex.says("Orders time out since half past nine. @dana, can you look?");
  await dana.says("/gantry logs checkout --grep error|warn");
  await dana.clicks("1 reply");
  await dana.thread.getByText("payments did not answer").first().waitFor();
  const reply = dana.thread.getByRole("textbox", { name: "Reply" });
  await reply.fill("payments hangs since the deploy :eyes: A restart, if two of you agree.");
  await reply.press("Enter");
  await dana.says('/gantry restart payments --reason "orders time out"');
  await dana.sees("Restart payments?");
  await alex.clicks("Approve");
  await dana.sees("1 of 2 (Alex Kim)");
  const thread = new URL(dana.page.url()).searchParams.get("thread") ?? "";
  await alex.says("Agreed, approved. @omar? :pray:", { thread });
  await dana.thread.getByText("Agreed, approved").waitFor();
  // Away from messages, which show their menu on hover.
  await dana.page.mouse.move(0, 0);
  await mkdir(new URL("", target), { recursive: true });
  await dana.page.screenshot({ path: fileURLToPath(target), animations: "disabled", caret: "hide" });
}

if (missingChromium !== undefined) {
  process.stderr.write(`No picture was taken: ${missingChromium}.\n`);
  process.exit(1);
}
await take();
