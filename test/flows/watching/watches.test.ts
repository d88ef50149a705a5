import { describe, expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { creates, happened, spoken } from "../../support/channel-town.ts";
import { clicks, says, saysIn, whispers } from "../../support/speak.ts";

const team = "T0PLAYGR";

describe("a watch", () => {
  test("is told to the channel, is listed, and anybody there may end it", async () => {
    await using town = await approvalTown();
    const { developer, approver } = town;

    await says(town, developer, "/gantry watch web");

    expect(spoken(developer).at(-1)).toMatch(
      /🔔 .*watches web\.\s+Posts: failing for 2 minutes, recovered, job failed\s+Set up by Dana Reyes/su,
    );
    const listed = await says(town, approver, "/gantry watches");
    expect(listed).toMatch(/Watched in this channel.*web.*failing for 2 minutes.*by Dana Reyes/su);
    await says(town, approver, "/gantry unwatch web");
    expect(spoken(developer).at(-1)).toMatch(/🔕 Alex Kim stopped watching web in/u);
    expect(await says(town, developer, "/gantry watches")).toMatch(/Nothing is watched in this channel/u);
    expect(await happened(town)).toEqual([
      "unwatched Alex Kim: ",
      "watched Dana Reyes: failing for 2 minutes, recovered, job failed",
    ]);
    expect(await says(town, developer, "/gantry history web")).toMatch(
      /🔕 Stopped watching web · by Alex Kim.*🔔 Began to watch web: failing for 2 minutes.* · by Dana Reyes/su,
    );
  });

  test("and a digest of the same workload end one after the other, and each answer says what goes on", async () => {
    await using town = await approvalTown();
    const { developer } = town;
    await says(town, developer, "/gantry watch web");
    await says(town, developer, "/gantry watch web --digest daily");

    await says(town, developer, "/gantry unwatch web");
    expect(spoken(developer).at(-1)).toMatch(
      /🔕 Dana Reyes stopped watching web in .*\s+The digest goes on: .*unwatch service\/web --digest/su,
    );
    await says(town, developer, "/gantry watch web");
    await says(town, developer, "/gantry unwatch web --digest");
    expect(spoken(developer).at(-1)).toMatch(
      /🔕 Dana Reyes ended the digest about web in .*\s+Single messages go on\./su,
    );
    await says(town, developer, "/gantry unwatch web");
    expect(spoken(developer).at(-1)).toMatch(/stopped watching web in [^\n]*\.$/u);
  });

  test("of one workload ends, and the answer says that a watch of all goes on", async () => {
    await using town = await approvalTown();
    const { developer } = town;
    await says(town, developer, "/gantry watch all");
    await says(town, developer, "/gantry watch web");

    await says(town, developer, "/gantry unwatch web");
    const ended = spoken(developer).at(-1);
    const again = await says(town, developer, "/gantry unwatch web");
    await clicks(town, developer, "Mute 1 h");

    expect(ended).toMatch(/stopped watching web in [^]*watches all workloads, so I still post about web here\./u);
    expect(again).toMatch(
      /Nothing was changed\.[^]*watches all workloads, so I still post about web here\.[^]*unwatch all/u,
    );
    expect(again).not.toContain("Nobody watches");
    expect(whispers(developer).at(-1)).toMatch(/You muted web in/u);
  });

  test.each([
    ["all --digest daily", "a digest"],
    ["all --region beijing2", "another region"],
    ["job/* --on job-done", "jobs"],
  ])("of one service ends, and a watch of %s isn't said to go on: it is %s", async (other) => {
    await using town = await approvalTown();
    const { developer } = town;
    await says(town, developer, `/gantry watch ${other}`);
    await says(town, developer, "/gantry watch service/web");

    await says(town, developer, "/gantry unwatch service/web --region beijing1");

    expect(spoken(developer).at(-1)).toMatch(/stopped watching web in [^\n]*\.$/u);
    expect(await town.store().allWatches()).toHaveLength(1);
  });

  test("in a direct message is nobody else's business", async () => {
    await using town = await approvalTown();
    const { developer, approver } = town;

    const told = await says(town, developer, "/gantry watch all --dm");
    await saysIn(town, { person: developer, channel: "@gantry" }, "watch web");

    expect(told).toMatch(/🔔 You watch all workloads\./u);
    expect(spoken(developer)).toEqual([]);
    expect(await says(town, approver, "/gantry watches")).toMatch(/Nothing is watched/u);
    expect(await says(town, developer, "/gantry watches")).toMatch(/Yours elsewhere.*all workloads.*web/su);
    expect(await saysIn(town, { person: developer, channel: "@gantry" }, "unwatch all")).toMatch(
      /stopped watching all/u,
    );
    expect(await saysIn(town, { person: developer, channel: "@gantry" }, "watches")).toMatch(/Watched for you.*web/su);
  });

  test("of a name that doesn't exist is refused, with the near one as a button", async () => {
    await using town = await approvalTown();
    const { developer } = town;

    expect(await says(town, developer, "/gantry watch wbe")).toMatch(
      /no service in beijing1.*named wbe.*Did you mean web/su,
    );
    expect(await town.store().allWatches()).toEqual([]);
    await clicks(town, developer, "Watch web");

    expect(await town.store().allWatches()).toMatchObject([{ target: { names: "web", kind: "service" } }]);
  });

  test("of a channel that takes no messages says that its news comes in a direct message", async () => {
    await using town = await approvalTown();
    const { developer } = town;
    town.playground.faults.inviteBot("general");
    town.playground.people.archive("general");

    expect(await says(town, developer, "/gantry watch web --in <#C0GENERAL|general>")).toMatch(
      /watches web\.[^]*⚠️ I haven't posted this in [^\n]* yet\. If I can't post there later either, you get a direct message\./u,
    );
  });

  test("of another channel is refused where Gantry isn't, and the refusal means that channel", async () => {
    await using town = await approvalTown();

    expect(await says(town, town.developer, "/gantry watch web --in <#C0GENERAL|general>")).toMatch(
      /^I'm not in the channel you chose, so I can't post there[^]*Invite me there with \/invite @gantry/u,
    );
    expect(await town.store().allWatches()).toEqual([]);
  });

  test("is only for channels that its owner and Gantry are in", async () => {
    await using town = await approvalTown();
    const { developer } = town;

    for (const channel of ["<#C0SECRET|secret>", "<#C0NOWHERE|nowhere>"]) {
      expect(await says(town, developer, `/gantry watch web --in ${channel}`)).toMatch(/not in the channel you chose/u);
    }

    expect(await town.store().allWatches()).toEqual([]);
  });

  test("is in the hands of policy: by kind, name and place", async () => {
    const policy = `
rules:
  - { name: no secrets, who: everyone, does: watch, workloads: { name: "secret*" }, then: refuse, say: "Ask security." }
  - { name: quiet room, who: everyone, where: dm, does: watch, then: refuse }
  - { name: shop, who: members, does: watch, workloads: { name: "shop-*" }, then: allow }
  - { name: look, who: members, does: [getService, getJob, listServices, listJobs], then: allow }
`;
    await using town = await approvalTown({ policy });
    const { developer, guest } = town;
    await creates(town, "shop-api", "beijing1");

    expect(await says(town, developer, "/gantry watch secret-db")).toMatch(/can't watch secret-db\. Ask security/u);
    expect(await says(town, developer, "/gantry watch shop-api --dm")).toMatch(/quiet room/u);
    expect(await says(town, developer, "/gantry watch web")).toMatch(/can't watch web: no policy rule allows it/u);
    expect(await says(town, developer, "/gantry watch all")).toMatch(
      /can't watch all workloads: no policy rule allows it/u,
    );
    expect(await says(town, guest, "/gantry watch shop-api")).toMatch(/no policy rule allows it for guests/u);
    expect(await says(town, developer, "/gantry can-i watch shop-api")).toMatch(/✅ Yes/u);
    expect(await says(town, developer, "/gantry can-i watch web")).toMatch(/No\./u);
    expect(await town.store().allWatches()).toEqual([]);
    await says(town, developer, '/gantry watch "shop-*"');
    await says(town, developer, "/gantry watch shop-api");

    expect(await town.store().allWatches()).toMatchObject([
      { target: { names: "shop-*" } },
      { target: { names: "shop-api" } },
    ]);
    expect((await happened(town)).filter((each) => each.startsWith("refused"))).toHaveLength(5);
    expect(await says(town, guest, "/gantry unwatch shop-api")).toMatch(/no policy rule allows it for guests/u);
  });

  test("in a bound channel is about what the channel is about, and nothing beyond its lock", async () => {
    await using town = await approvalTown();
    const { developer } = town;
    await says(town, developer, '/gantry use --names "shop-*" --region beijing2 --lock');

    await says(town, developer, "/gantry watch all");

    expect(await town.store().allWatches()).toMatchObject([{ target: { names: "shop-*", region: "beijing2" } }]);
    expect(await says(town, developer, "/gantry watch web")).toMatch(/locked this channel to the names shop-\*/u);
    expect(await says(town, developer, "/gantry watch shop-api --region us")).toMatch(/locked this channel to region/u);
  });
});

describe("a mute", () => {
  test("is told to whoever asked with its end, is listed, and is lifted by its button", async () => {
    await using town = await approvalTown();
    const { developer, approver } = town;

    await says(town, developer, "/gantry mute web 2h");

    expect(spoken(developer)).toEqual([]);
    expect(whispers(developer).at(-1)).toMatch(/🔕 You muted web in .* until/u);
    await says(town, approver, "/gantry watch all --dm");
    expect(await says(town, approver, "/gantry watches")).toMatch(
      /Nothing is watched in this channel[^]*🔕 web muted by Dana Reyes until[^]*Yours elsewhere/u,
    );
    await clicks(town, developer, "Unmute");
    expect(whispers(developer).at(-1)).toMatch(/🔔 You unmuted web/u);
    expect(await says(town, developer, "/gantry mute web off")).toMatch(/isn't muted here\. Nothing to do/u);
    const mutes = (await happened(town)).filter((each) => each.includes("muted"));
    expect(mutes.map((each) => each.split(":")[0])).toEqual(["unmuted Dana Reyes", "muted Dana Reyes"]);
  });

  test("is ended by unmute, which mutes nothing", async () => {
    await using town = await approvalTown();
    const { developer, approver } = town;
    await says(town, developer, "/gantry mute web 2h");

    await says(town, approver, "/gantry unmute web");

    expect(whispers(approver).at(-1)).toMatch(/🔔 You unmuted web/u);
    expect(await town.store().mutesOf(team)).toEqual([]);
    expect(await says(town, developer, "/gantry history --verb unmute")).toMatch(/🔔 Unmuted web · by Alex Kim/u);
    expect(await says(town, developer, "/gantry unmute web")).toMatch(/isn't muted here\. Nothing to do/u);
    await saysIn(town, { person: developer, channel: "@gantry" }, "mute web");
    expect(await saysIn(town, { person: developer, channel: "@gantry" }, "unmute web")).toMatch(/unmuted web/u);
  });

  test("of a name that nothing has holds, and says so", async () => {
    await using town = await approvalTown();
    const { developer } = town;

    await says(town, developer, "/gantry mute wbe 2h");
    expect(whispers(developer).at(-1)).toMatch(
      /🔕 You muted wbe in .* until .*⚠️ There is no service in beijing1 and no job in us named wbe\./su,
    );

    expect(await says(town, developer, "/gantry mute <!channel> 2h")).toMatch(
      /^“<!channel>” can't be the name of a workload\./u,
    );
    await says(town, developer, "/gantry mute web 2h");
    expect(whispers(developer).at(-1)).not.toMatch(/⚠️/u);
    expect(await town.store().mutesOf(team)).toHaveLength(2);
  });

  test("ends by itself, and no mute is longer than a month", async () => {
    await using town = await approvalTown();
    const { developer } = town;
    await says(town, developer, "/gantry mute all 30m --dm");
    const muted = await town.store().mutesOf(team);
    town.passMinutes(31);

    expect(muted).toMatchObject([{ names: "*", place: { kind: "dm", userId: "U0DANA" } }]);
    expect(await town.store().mutesOf(team)).toEqual([]);
    expect(await says(town, developer, "/gantry mute web until 2099-01-01")).toMatch(/more than 30 days away/u);
    expect(await says(town, developer, "/gantry mute web until 2020-01-01")).toMatch(/is over already/u);
  });
});

test("the list says when Gantry last looked, and claims nothing before", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry watch service/web");
  const before = await says(town, developer, "/gantry watches");

  await town.sweep();
  await town.settled();

  expect(before).toMatch(/yours · not looked at yet/u);
  expect(await says(town, developer, "/gantry watches")).toMatch(/yours · looked at \d+s ago/u);
});

test("a watch and a digest about the same end one by one", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry watch all");
  await says(town, developer, "/gantry watch --digest daily");
  const left = async () => (await town.store().allWatches()).map(({ digest }) => digest?.days);

  await clicks(town, developer, "Stop watching");
  const withoutDigest = await left();
  await says(town, developer, "/gantry watch --digest daily");
  await says(town, developer, "/gantry unwatch all");

  expect([withoutDigest, await left()]).toEqual([[undefined], ["daily"]]);
  await says(town, developer, "/gantry unwatch all");
  expect(await left()).toEqual([]);
});

test("a watch of a named kind is of nothing else, and a kind that isn't reported is no guess", async () => {
  await using town = await approvalTown();
  const { developer } = town;

  for (const words of ["watch statefulset/web", "unwatch sts/web", "mute statefulset web"]) {
    expect(await says(town, developer, `/gantry ${words}`), words).toContain(
      "The workload API doesn't say whether web is a StatefulSet. Nothing was changed.",
    );
  }
  expect(await town.store().watchesOf({ teamId: team, ownerId: "U0DANA" })).toEqual([]);
});
