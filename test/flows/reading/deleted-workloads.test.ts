import { expect, test } from "vitest";
import { approvalTown, count, othersDelete } from "../../support/approval-town.ts";
import { creates } from "../../support/channel-town.ts";
import { shopTown } from "../../support/shop-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { clicks, says, form, whispers } from "../../support/speak.ts";

const approvedScales = `
rules:
  - { name: scaling needs a second pair of eyes, who: members, does: updateService, then: { approve: { from: [channel-members], expires: 1h } } }
  - { name: members do the rest, who: members, does: anything, then: allow }
  - { name: guests look, who: everyone, does: read, then: allow }
`;

test("whoever asks for a deleted workload learns who deleted it and when, if they may see its history", async () => {
  await using town = await approvalTown({ policy: approvedScales });
  const { developer, approver, guest } = town;
  await says(town, developer, "/gantry delete web");
  town.passMinutes(5);

  for (const verb of ["show", "why", "logs", "restart"]) {
    const told = await says(town, approver, `/gantry ${verb} web`);
    expect(told, verb).toMatch(/web was deleted 5m ago by Dana Reyes\.\n/u);
    expect(told, verb).toContain("[History]");
  }
  expect(await says(town, approver, "/gantry show job/web")).toContain("There is no job named web");
  expect(await says(town, guest, "/gantry show web")).not.toContain("Dana");
});

test("a workload that was created again doesn't count as deleted, and a deletion outside of Gantry names nobody", async () => {
  await using town = await approvalTown({ policy: openPolicy });
  const { developer } = town;
  await says(town, developer, "/gantry delete web");
  await says(town, developer, "/gantry create service web --image test/web --memory 512");
  await town.until(async () => (await town.service("web")).status === "Running");
  expect(await says(town, developer, "/gantry show web")).toContain("🟢 web · running");

  await othersDelete(town, "web");

  expect(await says(town, developer, "/gantry show web")).toContain("There is no service in beijing1");
});

test("the card of an earlier change loses the buttons that need the deleted workload", async () => {
  await using town = await approvalTown({ policy: openPolicy });
  const { developer } = town;
  const scaled = (): string => developer.sees("ops").find(({ text }) => text.includes("2 → 3"))?.text ?? "";
  await says(town, developer, "/gantry scale web 3");
  expect(scaled()).toMatch(/^✅ .*\[Undo\].*\[Show\]/su);

  await says(town, developer, "/gantry delete web");
  await town.sweep();

  expect(scaled()).toMatch(/^✅ /u);
  expect(scaled()).toMatch(/ · deleted since$/u);
  expect(await says(town, developer, "/gantry undo")).not.toContain("Undo this change?");
});

test("the card of a request for several undoes only the workloads that still exist", async () => {
  await using town = await shopTown(["worker", "queue"], { policy: openPolicy });
  const { developer } = town;
  const stopped = (): string => developer.sees("ops").find(({ text }) => text.includes("3 of 3 stopped"))?.text ?? "";
  await says(town, developer, "/gantry stop web worker queue");
  expect(stopped()).toMatch(/^✅ 3 of 3 stopped[^]*\[Undo\]/u);

  await says(town, developer, "/gantry delete worker");
  await town.sweep();
  expect(stopped()).toMatch(/⚪️ web · stopped\n⚪️ worker · deleted since\n⚪️ queue · stopped/u);
  expect(stopped()).toContain("[Undo the other 2]");

  await says(town, developer, "/gantry delete queue");
  await town.sweep();
  await clicks(town, developer, "Undo web only");
  await town.until(async () => (await town.service("web")).status === "Running");

  await says(town, developer, "/gantry delete web");
  await town.sweep();
  expect(stopped()).toContain("⚪️ web · deleted since");
  expect(stopped()).not.toContain("[Undo");
});

test("the card of a failed request for several requests only the workloads that still exist", async () => {
  const names = ["shop-a", "shop-b", "shop-c"];
  const refuse = ({ method, url }: Request) =>
    method !== "GET" && url.includes("/services/shop-b")
      ? Response.json({ message: "shop-b is being moved" }, { status: 409 })
      : undefined;
  await using town = await shopTown(names, {
    policy: openPolicy,
    via: async (request, send) => refuse(request) ?? send(request),
  });
  const { developer } = town;
  const first = (): string => developer.sees("ops").find(({ text }) => text.includes("shop-b failed"))?.text ?? "";
  await says(town, developer, "/gantry restart shop-a shop-b shop-c");
  expect(first()).toContain("[Request the other 2]");

  await says(town, developer, "/gantry delete shop-c");
  await town.sweep();

  expect(first()).toContain("▫️ shop-c · not run · deleted since");
  expect(first()).toContain("[Request shop-b only]");
});

test("the card of a failed change loses “Try again” when its workload is deleted", async () => {
  let isBroken = true;
  await using town = await approvalTown({
    policy: openPolicy,
    via: async (request, send) =>
      isBroken && request.method !== "GET" ? Response.json({ message: "not now" }, { status: 409 }) : send(request),
  });
  const { developer } = town;
  const failed = (): string => developer.sees("ops").find(({ text }) => text.includes("not now"))?.text ?? "";
  await says(town, developer, "/gantry restart web");
  expect(failed()).toContain("[Try again]");

  isBroken = false;
  await says(town, developer, "/gantry delete web");
  await town.sweep();

  expect(failed()).toMatch(/ · deleted since$/u);
});

test("a waiting request says that its workload was deleted, without another API call", async () => {
  await using town = await approvalTown({ policy: approvedScales });
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 3");
  await says(town, approver, "/gantry delete web");
  const calls = town.calls().length;

  expect(await says(town, developer, "/gantry pending")).toMatch(
    /Scale web to 3[\s\S]*⚠️ web was deleted \d+s ago by Alex/u,
  );
  expect(town.calls()).toHaveLength(calls);

  await clicks(town, approver, "Approve");
  const [drifted = ""] = developer
    .sees("ops")
    .flatMap(({ text }) => (text.includes("while this waited") ? [text] : []));
  expect(drifted).toContain("existed when requested → deleted now");
  expect(drifted).not.toMatch(/\[(?:Request again|Show)\]/u);
});

test("a request for a deleted workload isn't taken for one about the workload that has its name now", async () => {
  await using town = await approvalTown({ policy: approvedScales });
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 3");
  await says(town, approver, "/gantry delete web");

  await creates(town, "web", "beijing1");
  expect(await says(town, developer, "/gantry show web")).toMatch(
    /⏳ Waiting: scale.* · ⚠️ web was deleted \d+s ago by Alex/u,
  );
});

const readOnly = `rules:
  - { name: all read, who: everyone, does: read, then: allow }
  - { name: alex changes, who: U0ALEX, does: anything, then: allow }
`;

test("a shared card is judged at the click", async () => {
  await using town = await approvalTown({ policy: readOnly });
  const { developer, approver } = town;
  await says(town, developer, "/gantry show web --share");

  await developer.clicks("Restart");
  await town.settled();
  expect(form(developer)).toMatch(/no policy rule allows it/u);
  await developer.closes();

  await approver.clicks("Restart");
  await town.settled();
  expect(form(approver)).toMatch(/Restart/u);
  await approver.submits();
  await town.settled();
  expect(count(town, "restartService")).toBe(1);
});

test("a card is refreshed where it stands", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry show web");
  const before = developer.sees("ops").length;
  await says(town, town.approver, "/gantry scale web 4");

  await developer.clicks("Refresh");
  await town.settled();

  expect(whispers(developer).filter((text) => text.includes("web · "))).toHaveLength(1);
  expect(whispers(developer).find((text) => text.includes("web · "))).toMatch(/4 instances/u);
  expect(developer.sees("ops").length).toBe(before + 1);
});
