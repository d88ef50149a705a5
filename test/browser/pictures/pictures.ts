import type { World, WorldOptions } from "../../support/world.ts";
import type { Window } from "../support/window.ts";
import { service, shop, shopServices, type Shop } from "./shop.ts";
import { followedLog, jsonLog, logShop } from "./logs.ts";
import { deployShop, movedShop, severalShop } from "./deploys.ts";
import { ownedShop } from "./owned.ts";
import { unwellShop } from "./unwell.ts";
import { watchedShop, watching } from "./watched.ts";

export type Stage = { readonly town: World; readonly dana: Window; readonly api: Shop };

/** One picture: the workspace it shows, and what happens in it first. */
export type Picture = {
  readonly name: string;
  readonly shop?: () => Shop;
  readonly world?: Pick<WorldOptions, "policy" | "settings">;
  readonly tab?: "home";
  /** Taller than the usual window, for views that scroll. */
  readonly height?: number;
  readonly story: (stage: Stage) => Promise<void>;
};

/** Types a command and waits for everything that follows from it. */
async function says({ town, dana }: Stage, text: string): Promise<void> {
  await dana.says(text);
  await town.until(() => town.developer.sees("ops").length > 0);
  await town.settled();
}

const command =
  (text: string) =>
  (stage: Stage): Promise<void> =>
    says(stage, text);

const restart = '/gantry restart payments --reason "orders time out"';

async function approved(stage: Stage): Promise<void> {
  await says(stage, restart);
  await stage.town.approver.clicks("Approve");
  await stage.town.settled();
}

const followed: { instance_name: string; log: string }[] = [];

const deploy = "/gantry deploy payments 1.5 --on-failure stop";

async function deployed(stage: Stage): Promise<void> {
  await says(stage, deploy);
  await stage.town.approver.clicks("Approve");
  await stage.town.settled();
  stage.town.passMinutes(0.1);
  await stage.town.sweep();
}

async function deployedSeveral(stage: Stage): Promise<void> {
  await says(stage, "/gantry deploy payments checkout search 1.5");
  await stage.town.approver.clicks("Approve");
  for (let looks = 0; looks < 4; looks += 1) {
    await stage.town.settled();
    stage.town.passMinutes(1.5);
    await stage.town.sweep();
  }
}

async function deployingSeveral(stage: Stage): Promise<void> {
  await says(stage, "/gantry deploy payments checkout search 1.5");
  await stage.town.approver.clicks("Approve");
  await stage.town.settled();
}

async function restarted(stage: Stage): Promise<void> {
  await says(stage, "/gantry restart payments");
  await stage.town.approver.clicks("Approve");
  await stage.town.settled();
  stage.town.passMinutes(0.5);
  await stage.town.sweep();
}

const manyServices = (count: number) => () =>
  shop(
    Array.from({ length: count }, (_, at) => {
      const known = shopServices[at];
      return known ?? service(`shop-${String(at + 1).padStart(3, "0")}`, { target_instance_size: (at % 4) + 1 });
    }),
    count === 0 ? [] : undefined,
  );

const owned = (name: string, text: string): Picture => ({ name, shop: ownedShop, story: command(text) });
const unwell = (name: string, text: string): Picture => ({ name, shop: unwellShop, story: command(text) });

export const pictures: readonly Picture[] = [
  owned("owned-show", "/gantry show payments"),
  owned("owned-refused", "/gantry delete payments"),
  owned("owned-several", "/gantry delete payments checkout"),
  {
    name: "owned-form",
    shop: ownedShop,
    async story({ dana, town }) {
      await dana.says("/gantry scale payments");
      await dana.modal.waitFor();
      await town.settled();
    },
  },
  unwell("unwell-list", "/gantry list"),
  unwell("unwell-out-of-memory", "/gantry show checkout"),
  unwell("unwell-crash-loop", "/gantry why payments"),
  unwell("unwell-no-image", "/gantry show recommendations"),
  unwell("unwell-no-node", "/gantry show search.index-eu1"),
  unwell("unwell-job", "/gantry show invoices"),
  unwell("unwell-card", "/gantry scale recommendations 3"),
  {
    name: "watch-form",
    shop: watchedShop,
    async story({ dana, town }) {
      await dana.says("/gantry watch");
      await dana.modal.waitFor();
      await town.settled();
    },
  },
  {
    name: "watch-incident",
    shop: watchedShop,
    async story(stage) {
      await says(stage, "/gantry watch all");
      await watching.fails(stage);
    },
  },
  {
    name: "watch-recovered",
    shop: watchedShop,
    async story(stage) {
      await says(stage, "/gantry watch all");
      await watching.fails(stage);
      await watching.recovers(stage);
    },
  },
  {
    name: "watch-list",
    shop: watchedShop,
    async story(stage) {
      await says(stage, "/gantry watch payments --on failing,recovered,deployed");
      await says(stage, "/gantry watch --digest weekdays 09:00");
      await says(stage, "/gantry mute checkout 2h");
      await watching.passes(stage, 1);
      await says(stage, "/gantry watches");
    },
  },
  { name: "deploy-waiting", shop: () => deployShop("done"), story: command("/gantry deploy payments 1.5") },
  { name: "deploy-under-way", shop: () => deployShop("underWay"), story: deployed },
  { name: "deploy-stuck", shop: () => deployShop("stuck"), story: deployed },
  { name: "deploy-done", shop: () => deployShop("done"), story: deployed },
  {
    name: "deploy-several-waiting",
    shop: () => severalShop("stuck"),
    story: command("/gantry deploy payments checkout search 1.5"),
  },
  { name: "deploy-several-under-way", shop: () => severalShop("underWay"), story: deployingSeveral },
  { name: "deploy-several", shop: () => severalShop("stuck"), story: deployedSeveral },
  { name: "deploy-moved-tag", shop: movedShop, story: restarted },
  { name: "deploy-nothing-to-do", shop: movedShop, story: command("/gantry deploy payments 1.4") },
  { name: "deploy-versions", shop: () => deployShop("done"), story: command("/gantry versions payments") },
  {
    name: "deploy-form",
    shop: () => deployShop("done"),
    async story({ dana, town }) {
      await dana.says("/gantry deploy payments");
      await dana.modal.waitFor();
      await town.settled();
    },
  },
  {
    name: "env-form",
    shop: () => deployShop("done"),
    async story({ dana, town }) {
      await dana.says("/gantry env payments");
      await dana.modal.waitFor();
      await town.settled();
    },
  },
  { name: "menu", story: command("/gantry") },
  { name: "list", story: command("/gantry list") },
  { name: "list-failing", story: command("/gantry list failing") },
  { name: "list-empty", shop: () => shop([], []), story: command("/gantry list") },
  { name: "show", story: command("/gantry show payments") },
  { name: "show-failing", story: command("/gantry show checkout") },
  { name: "show-job", story: command("/gantry show invoices") },
  { name: "card-waiting", story: command(restart) },
  { name: "card-done", story: approved },
  {
    name: "card-failed",
    async story(stage) {
      await says(stage, restart);
      stage.api.refusal = Response.json({ message: "no host has room for payments" }, { status: 409 });
      await stage.town.approver.clicks("Approve");
      await stage.town.settled();
    },
  },
  {
    name: "card-changed-meanwhile",
    async story(stage) {
      await says(stage, "/gantry scale payments 1");
      stage.api.services.set("payments", service("payments", { target_instance_size: 4 }));
      await stage.town.approver.clicks("Approve");
      await stage.town.settled();
    },
  },
  {
    name: "card-unwell",
    async story(stage) {
      await says(stage, "/gantry scale checkout 2");
    },
  },
  { name: "card-watching", world: { settings: { healthyAfterMs: 60_000 } }, story: command("/gantry scale worker 2") },
  { name: "card-several", story: command("/gantry restart payments worker") },
  {
    name: "logs-thread",
    async story(stage) {
      await says(stage, "/gantry logs checkout --grep error|warn");
      await stage.dana.clicks(/repl/u);
      await stage.dana.thread.getByText("payments did not answer").first().waitFor();
    },
  },
  {
    name: "logs-readable",
    shop: () => logShop(jsonLog),
    async story(stage) {
      await says(stage, "/gantry logs checkout");
      await stage.dana.clicks(/repl/u);
      await stage.dana.thread.getByText("order paid").first().waitFor();
    },
  },
  {
    name: "logs-follow",
    shop: () => logShop(followed),
    async story(stage) {
      followed.splice(0, followed.length, ...followedLog.slice(0, 2));
      await says(stage, "/gantry logs checkout --follow");
      await stage.dana.clicks(/repl/u);
      for (const line of followedLog.slice(2)) {
        followed.push(line);
        stage.town.passMinutes(0.2);
        await stage.town.sweep();
      }
      await stage.dana.thread.getByText("51ms").first().waitFor();
    },
  },
  { name: "home-0", shop: () => shop([], []), tab: "home", height: 1100, story: async ({ town }) => town.settled() },
  {
    name: "home-5",
    tab: "home",
    height: 1100,
    async story(stage) {
      await stage.town.developer.says("/gantry scale worker 2");
      await stage.town.developer.says("/gantry delete search");
      await stage.town.approver.says(restart);
      await stage.town.settled();
      await stage.dana.page.reload();
      await stage.town.settled();
    },
  },
  { name: "home-200", shop: manyServices(200), tab: "home", height: 1100, story: async ({ town }) => town.settled() },
  {
    name: "create-form",
    async story({ dana }) {
      await dana.says("/gantry create service");
      await dana.modal.waitFor();
    },
  },
  {
    name: "scale-form",
    async story({ dana, town }) {
      await dana.says("/gantry scale payments");
      await dana.modal.waitFor();
      await town.settled();
    },
  },
  {
    name: "delete-form",
    async story({ dana, town }) {
      await dana.says("/gantry delete");
      await dana.modal.waitFor();
      await town.settled();
    },
  },
  { name: "error-typo", story: command("/gantry lst") },
  { name: "error-no-workload", story: command("/gantry show paymnts") },
  {
    name: "error-api-down",
    async story(stage) {
      stage.api.isDown = true;
      await says(stage, "/gantry list");
    },
  },
  { name: "error-bad-value", story: command("/gantry scale payments many") },
  {
    name: "refused",
    world: { policy: "rules:\n  - name: members read\n    who: members\n    does: read\n    then: allow\n" },
    story: command("/gantry delete payments"),
  },
  { name: "help", story: command("/gantry help") },
  { name: "help-logs", story: command("/gantry help logs") },
  {
    name: "history",
    story: async (stage) => {
      await approved(stage);
      await says(stage, "/gantry history");
    },
  },
  { name: "can-i", story: command("/gantry can-i delete payments") },
];
