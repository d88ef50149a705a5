import { describe, expect, test } from "vitest";
import type { Service } from "../../../../../src/api/answers.ts";
import type { EngineInfo } from "../../../../../src/api/engine-info.ts";
import type { WriteCommand } from "../../../../../src/bot/commands/command.ts";
import { parseText } from "../../../../../src/bot/commands/grammar/parse.ts";
import { deploy } from "../../../../../src/bot/commands/verbs/deploy/deploy.ts";
import { env } from "../../../../../src/bot/commands/verbs/deploy/env.ts";
import { rollback } from "../../../../../src/bot/commands/verbs/deploy/rollback.ts";
import type { HistoryEvent } from "../../../../../src/bot/changes/history-event.ts";
import type { StoredChange } from "../../../../../src/bot/changes/stored-change.ts";
import type { Snapshot } from "../../../../../src/bot/changes/updatable-fields.ts";
import { nothingToDo } from "../../../../../src/bot/views/messages/request-answers.ts";
import { drawn } from "../../../views/support/drawn.ts";
import { ended, event, run } from "../../../views/support/stored-changes.ts";
import { service } from "../../../views/support/workloads.ts";
import { readPolicy } from "../../../../../src/bot/policy/read-policy.ts";
import { carried } from "../../support/buttons.ts";
import { errorsOf } from "../../support/form-of.ts";
import { ableEngine, answerTo, scripted } from "../../support/script.ts";
import { underPolicy } from "../../support/under-policy.ts";

const images = (...all: string[]) => all.map((image, at) => ({ name: at === 0 ? "web" : `web-${at + 1}`, image }));
const kept = [
  { revision: 4, images: ["shop/web:1.5"], created_at: "2026-11-21T11:58:00Z" },
  { revision: 3, images: ["shop/web:1.4.1"], created_at: "2026-11-21T10:00:00Z", outcome: "aborted" },
  { revision: 2, images: ["shop/web:1.4"], created_at: "2026-11-20T12:00:00Z", outcome: "done" },
  { revision: 1, images: ["shop/web:1.3"], created_at: "2026-11-01T12:00:00Z", outcome: "done" },
];
const web: Partial<Service> = { containers: images("shop/web:1.5"), revision: 4, revisions: kept };

const goesBack = "back to version 4 automatically if the new instances don't get ready";

function proposed(
  command: WriteCommand,
  text: string,
  more: Partial<Service> = {},
  {
    engine = ableEngine,
    events = [],
  }: { readonly engine?: EngineInfo; readonly events?: readonly HistoryEvent[] } = {},
) {
  const { context } = scripted({ services: [service("web", { ...web, ...more })], engine, events });
  return command.propose(parseText(text).ask, context);
}

const workload = { kind: "service", region: "beijing1", name: "web" } as const; // a literal kind

/** A request of history, with what was read back after it. */
function made(id: string, verb: string, after: object, more: Partial<StoredChange> = {}): HistoryEvent {
  const read = { uid: "u1", status: "Running", ...after } as Snapshot; // what was read back
  const ending = run({ kind: "done", after: read, alsoMoved: [] });
  const request = ended("done", { id, verb, ending, ...more });
  return { ...event("done", { workload, verb, request }), account: "dana" };
}

describe("deploy", () => {
  test.each([
    ["deploy web 1.6", "shop/web:1.6"],
    ["deploy web other/web:2", "other/web:2"],
    ["set-image web 1.6", "shop/web:1.6"],
  ])("%s asks for %s", async (words, image) => {
    const { call, diff } = await proposed(deploy, words);

    expect(call).toMatchObject({ op: "updateService", body: { containers: [{ image }] } });
    expect(diff).toEqual([`image shop/web:1.5 → ${image}`, goesBack]);
  });

  test("stays as it is where that was asked for", async () => {
    const { diff } = await proposed(deploy, "deploy web 1.6 --on-failure stop");

    expect(diff.at(-1)).toBe("stays as it is if the new instances don't get ready");
    expect(() => parseText("deploy web 1.6 --on-failure maybe")).toThrow("--on-failure takes roll-back or stop.");
  });

  test("of the image that runs already changes nothing", async () => {
    expect((await proposed(deploy, "deploy web 1.5")).diff).toEqual([]);
  });

  test("names the container where there are several", async () => {
    const two = { containers: images("shop/web:1.5", "shop/proxy:7") };

    await expect(proposed(deploy, "deploy web 1.6", two)).rejects.toThrow("web has 2 containers.");
    const { call, diff } = await proposed(deploy, "deploy web 8 --container web-2", two);
    expect(call).toMatchObject({ body: { containers: [{ name: "web" }, { name: "web-2", image: "shop/proxy:8" }] } });
    expect(diff).toEqual(["image of web-2 shop/proxy:7 → shop/proxy:8", goesBack]);
  });

  test("names a container that starts before the others", async () => {
    const init_containers = [{ name: "migrate", image: "shop/migrate:1" }];

    expect((await proposed(deploy, "deploy web 1.6", { init_containers })).call).toMatchObject({
      body: { containers: [{ image: "shop/web:1.6" }] },
    });
    const { call, diff, before } = await proposed(deploy, "deploy web 2 --container migrate", { init_containers });
    expect(call).toMatchObject({
      body: { containers: [{ name: "web" }, { name: "migrate", image: "shop/migrate:2" }] },
    });
    expect(diff).toEqual(["image of migrate shop/migrate:1 → shop/migrate:2", goesBack]);
    expect(before?.images).toEqual(["shop/web:1.5", "shop/migrate:1"]);
    await expect(proposed(deploy, "deploy web 2 --container mash", { init_containers })).rejects.toMatchObject({
      message: "web has no container named mash.",
      next: "Say which with --container: web, migrate.",
    });
  });

  test("of a bare tag needs the image that runs", async () => {
    await expect(proposed(deploy, "deploy web 1.6", { containers: [{ name: "web" }] })).rejects.toMatchObject({
      message: "The workload API doesn't say which image web runs.",
      next: "Nothing was changed. Write the whole image, as in shop/web:1.6.",
    });
  });

  test("takes an image or a version in its form: both, or neither, is an error under the field", () => {
    expect(errorsOf("deploy", { name: "service/web" })).toEqual({ image: "Name the image or its tag." });
    expect(errorsOf("deploy", { name: "service/web", image: "1.6", revision: "2" })).toEqual({
      image: "Type an image or choose a version below, not both.",
    });
    expect(errorsOf("deploy", { name: "service/web", image: "1.6" })).toEqual({});
    expect(errorsOf("deploy", { name: "service/web", revision: "2" })).toEqual({});
  });

  test.each(["deploy web not_an:image:at:all", "deploy web https://x", "deploy web 'a b'"])(
    "%s is no image",
    (words) => {
      expect(() => parseText(words)).toThrow("IMAGE isn't an image or a tag.");
    },
  );
});

describe("rollback", () => {
  test("goes back to the newest version that went well", async () => {
    const { call, diff } = await proposed(rollback, "rollback web");

    expect(call).toMatchObject({ op: "updateService", body: { revision: 2 } });
    expect(diff).toEqual(["image shop/web:1.5 → shop/web:1.4", "back to version 2, with its environment variables"]);
  });

  test("right after another one finds nothing to go back to, instead of the same version under an older number", async () => {
    const revisions = [
      { revision: 3, images: ["shop/web:1.4"], outcome: "done", is_current: true },
      { revision: 2, images: ["shop/web:1.5"], outcome: "aborted" },
      { revision: 1, images: ["shop/web:1.4"], outcome: "done", is_current: true },
    ];
    const wentBack = { containers: images("shop/web:1.4"), revision: 3, revisions };

    await expect(proposed(rollback, "rollback web", wentBack)).rejects.toMatchObject({
      message: "web went back from version 2 already.",
      next: "Nothing was changed. Name one: version 2 (shop/web:1.5, never got ready).",
    });
    const named = await proposed(rollback, "rollback web 1", wentBack);
    expect(named.diff).toEqual([]);
    expect(nothingToDo(named).text).toBe("web already runs the same as version 1. Nothing to do.");
    // Two deploys of an image with other variables are two versions.
    const others = revisions.map((each) => ({ ...each, is_current: false }));
    expect((await proposed(rollback, "rollback web", { ...wentBack, revisions: others })).call).toMatchObject({
      body: { revision: 1 },
    });
    expect(drawn(await answerTo("versions web", { services: [service("web", wentBack)] }))).toContain(
      "○ 1 shop/web:1.4 · same as the current one",
    );
  });

  test("its form names the version that a bare rollback means, and none right after another one", async () => {
    const revisions = [4, 3, 2, 1].map((revision) => ({
      revision,
      images: [`shop/web:1.${revision % 2 === 0 ? 2 : revision}`],
      outcome: "done",
    }));
    const prefilled = async (now: Partial<Service>) => {
      const { context } = scripted({ services: [service("web", { ...web, ...now })], engine: ableEngine });
      return rollback.form?.prefill?.({ name: "web" }, undefined, context);
    };

    expect((await prefilled({ revisions }))?.values).toEqual({ revision: "3" });
    const wentBack = revisions.map((each) => ({ ...each, is_current: each.revision % 2 === 0 }));
    expect(await prefilled({ revisions: wentBack })).toMatchObject({
      notes: [[{ text: "web" }, { text: ": name the version to go back to" }]],
    });
    expect((await prefilled({ revisions: wentBack }))?.values).toEqual({});
  });

  test("is undone only where it was a deploy: of a version that never got ready", async () => {
    const back = await proposed(rollback, "rollback web");
    const deployed = await proposed(rollback, "rollback web 3");

    expect(rollback.undo?.(back, "K7Q2MX")).toBeUndefined();
    expect(rollback.undo?.(deployed, "K7Q2MX")).toEqual({ revision: "4", isLed: true, undoes: "K7Q2MX" });
  });

  test("asked for again goes to the same version, not further back", async () => {
    const change = await proposed(rollback, "rollback web");

    expect(rollback.settledArgs?.({ name: "web" }, change)).toEqual({ name: "web", revision: "2", isLed: true });
    // Whoever named it, meant it.
    expect(rollback.settledArgs?.({ name: "web", revision: "2" }, change)).toEqual({ name: "web", revision: "2" });
  });

  test("goes back to the revision that was named", async () => {
    expect((await proposed(rollback, "rollback web 1")).call).toMatchObject({ body: { revision: 1 } });
    expect((await proposed(rollback, "rollback web 4")).diff).toEqual([]);
  });

  test("goes back to what a rollout replaces, also where nobody says how that went", async () => {
    const revisions = kept.map(({ revision, images }) => ({ revision, images }));
    const rollout = { state: "stuck", from: 3, to: 4 };

    const { call } = await proposed(rollback, "rollback web", { revisions, rollout });

    expect(call).toMatchObject({ body: { revision: 3 } });
    // One that was never ready either is nothing to go back to.
    expect((await proposed(rollback, "rollback web", { rollout })).call).toMatchObject({ body: { revision: 2 } });
    await expect(proposed(rollback, "rollback web", { revisions })).rejects.toMatchObject({
      message: "It isn't known which earlier version of web went well.",
      next: "Nothing was changed. Name one: version 3 (shop/web:1.4.1), version 2 (shop/web:1.4), version 1 (shop/web:1.3).",
    });
  });

  test("goes back to what stayed well after its request, where the workload API keeps no outcomes", async () => {
    const revisions = kept.map(({ revision, images }) => ({ revision, images }));
    const well = { kind: "reached", level: "healthy", line: "", excerpt: [] } as const; // literals
    const stuck = { kind: "trouble", level: "failing", line: "", excerpt: [] } as const; // literals
    const events = [
      made("NEWEST", "deploy", { revision: 4, images: ["shop/web:1.5"] }, { health: well }),
      made("BROKEN", "deploy", { revision: 3, images: ["shop/web:1.4.1"] }, { health: stuck }),
      made("BEFORE", "deploy", { revision: 2, images: ["shop/web:1.4"] }, { health: well }),
    ];

    const { call } = await proposed(rollback, "rollback web", { uid: "u1", revisions }, { events });

    expect(call).toMatchObject({ op: "updateService", body: { revision: 2 } });
    // Of another service, which had this name before, they tell nothing.
    const other = proposed(rollback, "rollback web", { uid: "u2", revisions }, { events });
    await expect(other).rejects.toThrow("It isn't known which earlier version of web went well.");
  });

  test("doesn't go back to a version that was ready for a moment and then kept crashing", async () => {
    const crashing = { kind: "trouble", level: "failing", line: "", excerpt: [] } as const; // literals
    const events = [
      made("BROKEN", "create", { revision: 1, images: ["shop/web:1.3"] }, { op: "createService", health: crashing }),
    ];
    const [newest] = kept;
    const soon = [
      { ...newest, revision: 2 },
      { revision: 1, images: ["shop/web:1.3"], created_at: "2026-11-21T11:50:00Z", outcome: "done" },
    ];
    const short = proposed(rollback, "rollback web", { uid: "u1", revision: 2, revisions: soon }, { events });
    await expect(short).rejects.toMatchObject({
      message: "It isn't known which earlier version of web went well.",
      next: "Nothing was changed. Name one: version 1 (shop/web:1.3, never got ready).",
    });

    // Nor when what replaced it at once stayed for days.
    const later = [
      { revision: 3, images: ["shop/web:1.5"], created_at: "2026-11-21T11:58:00Z" },
      { revision: 2, images: ["shop/web:1.4"], created_at: "2026-11-18T11:55:00Z", outcome: "aborted" },
      { revision: 1, images: ["shop/web:1.3"], created_at: "2026-11-18T11:50:00Z", outcome: "done" },
    ];
    const three = proposed(rollback, "rollback web", { uid: "u1", revision: 3, revisions: later }, { events });
    await expect(three).rejects.toThrow("It isn't known which earlier version of web went well.");

    // It ran for days after that.
    const late = soon.map((each) => (each.revision === 1 ? { ...each, created_at: "2026-11-18T12:00:00Z" } : each));
    const long = await proposed(rollback, "rollback web", { uid: "u1", revision: 2, revisions: late }, { events });
    expect(long.call).toMatchObject({ body: { revision: 1 } });
  });

  test("says which revisions are kept", async () => {
    await expect(proposed(rollback, "rollback web 9")).rejects.toMatchObject({
      message: "Version 9 of web isn't kept.",
      next: "Nothing was changed. Its versions: 4, 3, 2, 1. Go back to one of them, or deploy the image that you want.",
    });
    await expect(proposed(rollback, "rollback web", { revisions: kept.slice(0, 1) })).rejects.toMatchObject({
      message: "web has no earlier version that is kept.",
      next: "Nothing was changed. Deploy the image that you want.",
    });
  });
});

test.each([
  [deploy, "deploy web 1.6"],
  [rollback, "rollback web"],
])("an API that says it can't is told before anybody is asked", async (command, words) => {
  await expect(
    proposed(command, words, {}, { engine: { ...ableEngine, keepsRevisions: false } }),
  ).rejects.toMatchObject({
    message: "This workload API can't change the image of a service.",
    next: "Nothing was changed. Create a service with the new image under another name, and delete the old one when the new one is healthy.",
  });
});

describe("can-i", () => {
  const policy = readPolicy(
    `rules:
  - { name: our images, who: members, does: deploy, images: shop/*, limits: { instances: 5 }, then: allow }
`,
    "policy.yaml",
  );
  const told = async (words: string) =>
    drawn(await answerTo(words, underPolicy(policy, {}, { services: [service("web", web)], engine: ableEngine })));

  test("explains a deploy and a way back by the image that would run", async () => {
    expect(await told("can-i deploy web 1.6")).toContain("Policy: our images.");
    expect(await told("can-i rollback web 1")).toContain("Policy: our images.");
    expect(await told("can-i deploy web other/web:2")).toMatchInlineSnapshot(`
      "🚫 No. You can't change the version of web: no policy rule allows the image other/web:2.
      The policy rule our images is for shop/*."
    `);
  });

  test("says that it depends on the image where none is named", async () => {
    expect(await told("can-i deploy web")).toContain("Type the whole command.");
  });
});

describe("env", () => {
  const secret = "correct-horse-battery";
  const containers = [
    {
      name: "web",
      image: "shop/web:1.5",
      env: [
        { name: "LEVEL", value: "info" },
        { name: "KEY", value: secret },
        { name: "OLD", value: "1" },
      ],
    },
  ];

  test("sets and removes by name, and says only names", async () => {
    const { call, diff } = await proposed(
      env,
      `env web --set KEY=other --set NEW=${secret} --set LEVEL=info --unset OLD`,
      {
        containers,
      },
    );

    const set = [
      { name: "KEY", value: "other" },
      { name: "NEW", value: secret },
      { name: "LEVEL", value: "info" },
    ];
    expect(call).toMatchObject({ body: { containers: [{ env: { set, remove: ["OLD"] } }] } });
    expect(diff).toEqual(["adds NEW", "changes KEY", "removes OLD", goesBack]);
  });

  test.each(["API_KEY", "spring.datasource.password", "api-key", "A".repeat(200)])(
    "without --set says how, and doesn't repeat the value: %s",
    (name) => {
      expect(() => parseText(`env web ${name}=s3cret`)).toThrow(`\`env\` sets a variable with \`--set ${name}=…\`.`);
    },
  );

  test("that changes nothing says so", async () => {
    expect((await proposed(env, "env web --set LEVEL=info --unset NEVER", { containers })).diff).toEqual([]);
  });

  test.each([
    ["env web --set LEVEL=a --unset LEVEL", "LEVEL can't be set and removed at once."],
    ["env web --set LEVEL=a --container x", "web has no container named x."],
  ])("%s is refused", async (words, why) => {
    await expect(proposed(env, words, { containers })).rejects.toThrow(why);
  });

  test("the form lists names, never values", async () => {
    const { context } = scripted({ services: [service("web", { ...web, containers })], engine: ableEngine });

    const facts = await env.form?.prefill?.({ name: "web" }, undefined, context);

    expect(JSON.stringify(facts)).toContain("LEVEL, KEY, OLD");
    expect(JSON.stringify(facts)).not.toContain(secret);
    expect(facts?.values).toEqual({});
  });

  test("is taken back by the revision from before", async () => {
    const change = await proposed(env, "env web --unset OLD", { containers });

    expect(rollback.undo?.(change, "K7Q2MX")).toEqual({ revision: "4", isLed: true, undoes: "K7Q2MX" });
  });
});

describe("versions", () => {
  test("lists what ran when, newest first", async () => {
    expect(drawn(await answerTo("versions web", { services: [service("web", web)] }))).toMatchInlineSnapshot(`
      "Versions of web
      ● 4 shop/web:1.5 · current · 2m ago
      ○ 3 shop/web:1.4.1 · never got ready · 2h ago
      ○ 2 shop/web:1.4 · 1d ago
      ○ 1 shop/web:1.3 · 20d ago
      [Roll back to 2] [Roll back to 1] [Show]"
    `);
  });

  describe("says who made each, and on which request", () => {
    const makers = async (...events: HistoryEvent[]) => {
      const shown = drawn(
        await answerTo("versions web", { services: [service("web", { ...web, uid: "u1" })], events }),
      );
      return [...shown.matchAll(/[●○] (\d) .*request (\w+)/gu)].map(([, number, id]) => `${number} ${id}`);
    };

    test("a deploy, a way back and the creation are its makers, and what came after it isn't", async () => {
      const events = [
        made("SCALED", "scale", { revision: 4, images: ["shop/web:1.5"] }),
        // Its own revision wasn't numbered yet.
        made("UNSEEN", "env", { revision: 4, images: ["shop/web:1.5"] }),
        made("DEPLOY", "deploy", { revision: 4, images: ["shop/web:1.5"] }),
        made("GOBACK", "rollback", { revision: 3, images: ["shop/web:1.4.1"] }),
        made("UNSCAL", "undo", { revision: 2, images: ["shop/web:1.4"] }, { undoOf: "SCALED" }),
        made("CREATE", "create", { revision: 1, images: ["shop/web:1.3"] }, { op: "createService" }),
      ];

      expect(await makers(...events)).toEqual(["4 DEPLOY", "3 GOBACK", "1 CREATE"]);
    });

    test("with a cluster that had not numbered it yet when it was read", async () => {
      // Read a moment after the deploys: the new image, and the number of the version before.
      const events = [
        made("LATEST", "deploy", { revision: 3, images: ["shop/web:1.5"] }),
        made("EARLIER", "deploy", { revision: 1, images: ["shop/web:1.4"] }),
      ];

      expect(await makers(...events)).toEqual(["4 LATEST", "2 EARLIER"]);
    });

    test("… also when a rollback renumbered the revision before it", async () => {
      const revisions = kept.filter(({ revision }) => revision !== 2);
      const broken = made("BROKEN", "deploy", { revision: 2, images: ["shop/web:1.4.1"] });
      const services = [service("web", { ...web, uid: "u1", revisions })];

      expect(drawn(await answerTo("versions web", { services, events: [broken] }))).toMatch(
        /○ 3 shop\/web:1\.4\.1 .* by Dana Reyes, request BROKEN/u,
      );
    });

    test("… but a version much later only has its images by chance", async () => {
      expect(await makers(made("GONE", "deploy", { revision: 0, images: ["shop/web:1.4.1"] }))).toEqual([]);
    });

    test("not one of an earlier service of this name", async () => {
      expect(await makers(made("BEFORE", "deploy", { uid: "u0", revision: 4, images: ["shop/web:1.5"] }))).toEqual([]);
    });

    test("not one of a service or a job with this name elsewhere, or of another account", async () => {
      const deploy = made("OTHERS", "deploy", { revision: 4, images: ["shop/web:1.5"], uid: undefined });

      expect(await makers(deploy)).toEqual(["4 OTHERS"]);
      expect(await makers({ ...deploy, workload: { ...workload, region: "beijing2" } })).toEqual([]);
      expect(await makers({ ...deploy, workload: { ...workload, kind: "job" } })).toEqual([]);
      expect(await makers({ ...deploy, account: "alex" })).toEqual([]);
    });
  });

  test("its buttons lead there only while the version is known to be good", async () => {
    const message = await answerTo("versions web", { services: [service("web", web)] });

    expect(carried(message, "Roll back to 2")).toMatchObject({
      verb: "rollback",
      args: { revision: "2", isLed: true },
    });
  });

  test.each([
    [
      "has a button for each of the newest that were ready, without the one that runs",
      "done",
      ["6", "5", "4", "3", "2"],
    ],
    ["has a form instead, where none is known to have been", "aborted", ["…"]],
  ])("%s", async (_what, outcome, labels) => {
    const revisions = [7, 6, 5, 4, 3, 2, 1].map((revision) => ({
      revision,
      images: [`shop/web:1.${revision}`],
      outcome: revision === 7 ? "done" : outcome,
    }));

    const shown = drawn(await answerTo("versions web", { services: [service("web", { revision: 7, revisions })] }));

    expect([...shown.matchAll(/Roll back(?: to )?(.*?)(?:\]| \|)/gu)].map(([, label]) => label)).toEqual(labels);
  });

  test("has neither where no other version is kept", async () => {
    const only = { revision: 1, revisions: [{ revision: 1, images: ["shop/web:1.1"], outcome: "done" }] };

    expect(drawn(await answerTo("versions web", { services: [service("web", only)] }))).toMatch(/\n\[Show\]$/u);
  });

  test("says how a rollout goes", async () => {
    const rollout = { state: "stuck", ready: 0, target: 3, old_ready: 3 };

    const shown = drawn(await answerTo("versions web", { services: [service("web", { ...web, rollout })] }));

    expect(shown).toContain("● 4 shop/web:1.5 · doesn't get ready, 0 of 3 new instances ready · 2m ago");
    expect(shown).toContain("[Why]");
  });

  test("says that the workload API doesn't tell", async () => {
    expect(drawn(await answerTo("versions web", { services: [service("web")] }))).toContain(
      "The workload API doesn't say which versions web ran.",
    );
  });
});

test("a digest that was copied from a card is refused with the reason, before anything is read", () => {
  for (const image of ["sha256:3f2a9c1d5b6e", "@sha256:3f2a9c1d5b6e", "shop/web@sha256:3f2a9c1d5b6e"]) {
    expect(() => parseText(`deploy web ${image}`)).toThrow("only the beginning of a digest, which has 64 digits");
  }
});

test("a digest alone is one of the repository that runs, and names nothing new", async () => {
  const digest = `sha256:${"0f3c2a91".repeat(8)}`;

  expect(await proposed(deploy, `deploy web ${digest}`)).toMatchObject({
    call: { body: { containers: [{ image: `shop/web@${digest}` }] } },
  });
  for (const image of ["sha256:latest", "SHA256:latest"]) {
    expect(() => parseText(`deploy web ${image}`)).toThrow("IMAGE isn't an image or a tag.");
  }
  for (const image of [digest, "sha256:latest"]) {
    expect(() => parseText(`create job a --image ${image}`)).toThrow("A digest alone names no image.");
  }
});
