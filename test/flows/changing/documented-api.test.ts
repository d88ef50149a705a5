import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Context } from "../../../src/bot/commands/command.ts";
import { commands } from "../../../src/bot/commands/verbs.ts";
import { defaultPolicyText } from "../../../src/bot/policy/read-policy.ts";
import { prefilled } from "../../bot/commands/support/form-of.ts";
import { answerTo, proposalTo, scripted } from "../../bot/commands/support/script.ts";
import { drawnAll } from "../../bot/views/support/drawn.ts";
import { documentedApi, type DocumentedApi, type Habits } from "../../support/documented-api.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { card, clicks, form, idOf, says, whispers } from "../../support/speak.ts";
import { newest, world, type World, type WorldOptions } from "../../support/world.ts";

/**
 * Leaves out what it may, shows a change one look late, has words of its own for a status, and says in text what isn't
 * data.
 */
const terse: Habits = {
  leavesOut: ["binding_domain_name", "containers.resources"],
  lateReads: 1,
  words: (status) => (status === "Stopped" ? "suspended" : "ACTIVE"),
  speaksText: true,
};

/** What a verb over such an API tells: without Slack, and nothing is written. */
type Told = {
  readonly tells: (words: string) => Promise<string>;
  /** What keeps a change from being requested. */
  readonly refuses: (words: string) => Promise<unknown>;
  readonly context: Context;
};

function toldOver(habits: Habits): Told & { readonly api: DocumentedApi } {
  const api = documentedApi(habits);
  const town = scripted({ apiFetch: api.fetch });
  return {
    api,
    context: town.context,
    tells: async (words) => drawnAll(await answerTo(words, town)),
    refuses: (words) => proposalTo(words, town).catch((error: unknown) => error),
  };
}

async function createJob({ context: { api } }: Told): Promise<void> {
  const path = { region: "us", job_name: "nightly" };
  await api.send({ op: "createJob", path, query: undefined, body: { containers: [{ image: "gantry/batch" }] } });
}

const cannot = (what: string) => ({
  message: `This workload API doesn't say that it can change the ${what} of a service.`,
});

/** What verbs tell that only look, and those that such an API can do nothing for. */
const looks: Readonly<Record<string, (all: Told) => Promise<void>>> = {
  async list({ tells }) {
    expect(await tells("list")).toMatch(/🟢 two · active.*2 instances/su);
    expect(await tells("list running")).toContain("🟢 two · active");
  },
  async show({ tells }) {
    const shown = await tells("show two");
    expect(shown).toContain("🟢 two · active");
    expect(shown).toContain("2 instances");
    expect(shown).toContain("Not reported by the workload API: memory, domains");
  },
  async why({ tells }) {
    const why = await tells("why two");
    expect(why).toContain("🟢 two runs");
    expect(why).toContain("GET /orders 200");
  },
  async logs(all) {
    expect(await all.tells("logs two")).toContain("GET /orders 200");
    await createJob(all);
    expect(await all.tells("logs job/nightly")).toContain("exported 12 rows");
  },
  async unfollow({ tells }) {
    expect(await tells("unfollow two")).toContain("The log of two isn't followed here. Nothing was changed.");
  },
  async versions({ tells }) {
    expect(await tells("versions two")).toContain("The workload API doesn't say which versions two ran.");
  },
  async "can-i"({ tells }) {
    expect(await tells("can-i delete two")).toMatch(/✅ Yes, you can run delete two here\./u);
  },
  async run(all) {
    await createJob(all);
    expect(await all.refuses("run nightly")).toMatchObject({
      message: "Only a CronJob can be run now, and the workload API reports no schedule of nightly.",
    });
  },
  async deploy({ refuses }) {
    expect(await refuses("deploy two 1.5")).toMatchObject(cannot("image"));
  },
  async rollback({ refuses }) {
    expect(await refuses("rollback two")).toMatchObject(cannot("image"));
  },
  async env({ refuses }) {
    expect(await refuses("env two --unset OLD")).toMatchObject(cannot("environment"));
  },
  async whoami({ tells }) {
    expect(await tells("whoami")).toContain("dana, workspace account");
  },
  async version({ tells }) {
    expect(await tells("version")).toMatch(/Gantry \d/u);
  },
  async help({ tells }) {
    expect(await tells("help")).toContain("scale");
  },
};

type Scene = {
  readonly town: World;
  readonly api: DocumentedApi;
  /** The service that the story is about. */
  readonly two: string;
  /** Types the command without `/gantry`; what the developer sees then. */
  readonly tells: (command: string) => Promise<string>;
};

function sceneOf(town: World, api: DocumentedApi, two = "two"): Scene {
  return { town, api, two, tells: (command) => says(town, town.developer, `/gantry ${command}`) };
}

/** A town on such an API, whose story is told. */
async function scene(
  habits: Habits,
  tell: (scene: Scene) => Promise<void>,
  options: WorldOptions = { policy: openPolicy },
): Promise<void> {
  const api = documentedApi(habits);
  await using town = await world({ ...options, apiFetch: api.fetch });
  await tell(sceneOf(town, api));
}

/** A request that waits for somebody, under the built-in policy. */
async function waiting({ tells, town, two }: Scene): Promise<string> {
  town.setPolicy(defaultPolicyText);
  await tells(`domains ${two} set c.example.com`);
  expect(card(town.developer)).toMatch(new RegExp(`^⏳ Change domains of ${two}\\?.*0 of 1`, "su"));
  return idOf(card(town.developer));
}

const writesTo = ({ api, two }: Scene) => api.writes.filter(({ request }) => request.split("/")[2] === two);

/** What each other verb tells people on such an API; verbs of one story are told together. */
const flows: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async create({ tells, town, api }) {
    expect(await tells("create service three --image gantry/hello-web --memory 512 --port 80")).toContain(
      "three created",
    );
    expect(api.writes).toContainEqual(expect.objectContaining({ request: "POST /services/three" }));
    await tells("create job nightly --image gantry/batch --memory 512");
    expect(card(town.developer)).toContain("nightly");
    await town.sweep();
    expect(await tells("show job/nightly")).toContain("nightly");
  },
  async "scale, undo"({ tells, town, api, two }) {
    await tells(`scale ${two} 3`);
    expect(card(town.developer)).toContain(`${two} scaled to 3`);
    expect(card(town.developer)).toContain("instances 2 → 3");
    expect(await tells(`undo ${two}`)).toContain("Undo this change?");
    await clicks(town, town.developer, "Undo");
    expect(api.writes.at(-1)).toMatchObject({ request: `PUT /services/${two}`, body: { target_instance_size: 2 } });
  },
  async memory(all) {
    const { tells, town, two } = all;
    await tells(`memory ${two} 1024`);
    expect(card(town.developer)).toContain(`🟡 Memory change of ${two} to 1024 MiB accepted`);
    expect(card(town.developer)).toContain("memory not reported → 1024 MiB");
    expect(card(town.developer)).toContain("Accepted, can't be confirmed: the workload API doesn't report memory.");
    expect(card(town.developer)).not.toContain("[Undo]");
    expect(writesTo(all)).toHaveLength(1);
  },
  async "domains, undo"(all) {
    const { tells, town, api, two } = all;
    expect((await tells(`domains ${two} add c.example.com`)).replaceAll(two, "two")).toMatchInlineSnapshot(`
      "Couldn't add to the domains of two: the workload API doesn't report them, and an update replaces the whole list.
      Nothing was changed. Set the complete list: /gantry domains service/two set DOMAIN…."
    `);
    expect(await tells(`domains ${two} remove a.example.com`)).toContain(`Couldn't remove from the domains of ${two}`);
    expect(writesTo(all)).toEqual([]);
    expect(api.domainsOf(two)).toEqual(["a.example.com", "b.example.com"]);

    await tells(`domains ${two} set a.example.com b.example.com c.example.com`);

    expect(api.domainsOf(two)).toEqual(["a.example.com", "b.example.com", "c.example.com"]);
    const shown = card(town.developer).replaceAll(two, "two");
    expect(shown.replace(/^[0-9A-Z]{6} ·/mu, "7QK2MP ·")).toMatchInlineSnapshot(`
      "🟡 Domain change of two accepted
      • + domain a.example.com
      • + domain b.example.com
      • + domain c.example.com
      • − all other domains, which the workload API doesn't report: this can't be undone
      Active · requested by @dana
      Accepted, can't be confirmed: the workload API doesn't report domains.
      7QK2MP · policy: everything
      [Logs] [Show] [Tell me here]"
    `);
    const told = await tells(`undo ${two}`);
    expect(told).toContain(`None of your latest changes of ${two} can be undone. Nothing was changed.`);
    expect(told).toContain("nor a change of what the workload API didn't report");
  },
  async "start, stop"({ tells, town, two }) {
    expect(await tells(`start ${two}`)).toContain(`${two} is already running. Nothing to do.`);
    await tells(`stop ${two}`);
    expect(card(town.developer)).toContain(`${two} stopped`);
    expect(await tells(`stop ${two}`)).toContain(`${two} is already stopped. Nothing to do.`);
    expect(await tells(`show ${two}`)).toContain(`${two} · suspended`);
    await tells(`start ${two}`);
    expect(card(town.developer)).toContain(`${two} started`);
  },
  async "restart, history"({ tells, town, two }) {
    await tells(`restart ${two}`);
    expect(card(town.developer)).toContain(`🟡 Restart of ${two} accepted`);
    expect(card(town.developer)).toContain("Accepted, can't be confirmed: the workload API doesn't report restarts.");
    expect(card(town.developer)).not.toContain("restarted");
    expect(await tells(`show ${two}`)).toContain(
      `Last change: 🟡 Restart of ${two} accepted · by Dana Reyes · the workload API doesn't report`,
    );
    await tells("create service four --image gantry/hello-web");
    await tells(`restart ${two} four`);
    const told = [await tells(`history ${two}`), await tells("history four")].join("\n");
    expect(told).toContain(`🟡 Restart of ${two} accepted · by Dana Reyes · the workload API doesn't report`);
    expect(told.match(/ accepted · by Dana Reyes · the workload API doesn't report/gu)).toHaveLength(3);
    expect(told).not.toContain("restarted");
  },
  async delete({ tells, town, two }) {
    await tells(`delete ${two}`);
    expect(card(town.developer)).toContain(`${two} deleted`);
    expect(await tells(`list ${two}`)).toContain("Nothing matches");
  },
  async "pending, approve"(all) {
    const id = await waiting(all);
    expect(card(all.town.developer)).toContain("− all other domains, which the workload API doesn't report");
    expect(writesTo(all)).toEqual([]);
    expect(await all.tells("pending")).toContain(all.two);
    await says(all.town, all.town.approver, `/gantry approve ${id}`);
    expect(card(all.town.developer)).toContain(`🟡 Domain change of ${all.two} accepted`);
    expect(all.api.domainsOf(all.two)).toEqual(["c.example.com"]);
  },
  async reject(all) {
    const id = await waiting(all);
    await says(all.town, all.town.approver, `/gantry reject ${id} --reason later`);
    expect(card(all.town.developer)).toContain(`🚫 Rejected: change domains of ${all.two}`);
    expect(writesTo(all)).toEqual([]);
  },
  async cancel(all) {
    const id = await waiting(all);
    await all.tells(`cancel ${id}`);
    expect(card(all.town.developer)).toContain(`🚫 Cancelled: change domains of ${all.two}`);
    expect(writesTo(all)).toEqual([]);
  },
  async status({ tells }) {
    expect(await tells("status")).toMatch(/workload API/iu);
  },
  async "watch, watches, unwatch"({ tells, two }) {
    expect(await tells(`watch ${two}`)).toContain(`watches ${two}`);
    expect(await tells("watches")).toContain("failing for 2 minutes");
    expect(await tells(`unwatch ${two}`)).toContain(`stopped watching ${two}`);
  },
  async "mute, unmute"({ tells, two }) {
    expect(await tells(`mute ${two} 2h`)).toContain(`muted ${two}`);
    expect(await tells(`unmute ${two}`)).toContain(`unmuted ${two}`);
  },
  async use({ tells }) {
    expect(await tells("use --region beijing2")).toContain("beijing2");
    await tells("use --clear");
  },
  async "connect, disconnect"({ tells, town }) {
    expect(await tells("disconnect")).toMatch(/Nothing to disconnect/u);
    await tells("connect");
    await town.developer.submits({ username: "dana-own", token: "t".repeat(48) });
    await town.settled();
    await town.developer.closes();
    expect(whispers(town.developer).at(-1)).toContain("dana-own");
    await tells("disconnect");
  },
};

/** Of a story's first verb: no two stories are about one service. */
const serviceOf = (verbs: string): string => `two-${verbs.replace(/,.*/u, "")}`;

describe("on a workload API that only does what its document says", () => {
  const api = documentedApi(terse, Object.keys(flows).map(serviceOf));
  let town: World;
  beforeAll(async () => {
    town = await world({ apiFetch: api.fetch });
  });
  afterAll(async () => town.close());

  test("every verb has a story here", () => {
    const told = Object.keys({ ...looks, ...flows }).flatMap((verbs) => verbs.split(", "));
    expect([...new Set(told)].toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
  });

  test.each(Object.entries(looks))("%s", async (_verb, look) => {
    const { api: looked, ...told } = toldOver(terse);
    await look(told);
    expect(looked.refused).toEqual([]);
    expect(looked.writes.filter(({ request }) => request !== "POST /jobs/nightly")).toEqual([]);
  });

  test.each(Object.entries(flows))("%s", async (verbs, flow) => {
    town.setPolicy(openPolicy);
    // Slack takes a message a second in a channel: what the story before posted doesn't hold up this one's card.
    town.passSeconds(30);
    const before = api.refused.length;

    await flow(sceneOf(town, api, serviceOf(verbs)));

    // Nothing was sent that the document doesn't have.
    expect(api.refused.slice(before)).toEqual([]);
  });
});

describe("what isn't reported is unknown", () => {
  test("the form begins empty and says that it replaces the list", async () => {
    const script = { apiFetch: documentedApi(terse).fetch };

    const { notes, values } = await prefilled("domains", { name: "service/two" }, script);

    expect(values?.["domains"]).toBeUndefined();
    expect(notes?.join("\n")).toContain("may have domains: the workload API doesn't report them");
    expect(await proposalTo("domains two set c.example.com", script)).toMatchObject({
      change: { diff: expect.arrayContaining([expect.stringContaining("− all other domains")]) as unknown }, // a matcher of vitest
    });
  });

  test("the size of a service is unknown, not 0", async () => {
    const leavesOut = ["target_instance_size", "status"];
    const { tells, refuses } = toldOver({ leavesOut });
    expect(await tells("list")).not.toMatch(/\b0\b|0 instances/u);
    expect(await tells("show two")).toMatch(/🟡 two · status unknown.*Not reported by the workload API: instances/su);
    expect(await refuses("scale two +1")).toMatchObject({
      message: "The workload API didn't say how many instances two has.",
    });

    await scene({ leavesOut }, async ({ tells: tellsInTown, town, api }) => {
      await tellsInTown("scale two 5");
      expect(card(town.developer)).toContain("🟡 Scaling of two to 5 accepted");
      await tellsInTown("stop two");
      expect(card(town.developer)).toMatch(/🟡 Stop of two accepted.*doesn't report its status/su);
      await tellsInTown("delete two");
      expect(api.writes.map(({ request }) => request)).toEqual([
        "PUT /services/two",
        "PUT /services/two/stop",
        "DELETE /services/two",
      ]);
    });
  });

  test("a job whose instances aren't reported has started, for all anybody knows", async () => {
    const told = toldOver({ leavesOut: ["instance_names", "status"] });
    await createJob(told);

    expect(await told.tells("show job/nightly")).toContain("🟡 nightly · status unknown");
    await expect(told.tells("logs job/nightly")).rejects.toThrow("doesn't report the instances of job nightly");
    expect(await told.tells("logs job/nightly --instance nightly-x7k2p")).toContain("exported 12 rows");
  });

  test("a copy of a service says what it couldn't copy", async () => {
    const leavesOut = ["containers.env", "containers.resources", "volumes"];
    const { notes } = await prefilled(
      "create",
      { kind: "service", like: "service/two" },
      { apiFetch: documentedApi({ leavesOut }).fetch },
    );

    expect(notes?.join("\n")).toContain(
      "Not copied, because the workload API doesn't report it: memory, environment, volumes",
    );
  });
});

describe("an update of memory under the other field name", () => {
  test("is rejected with a 400 that names the setting", async () => {
    await scene({ resourcesKey: "resource" }, async ({ tells, town, api }) => {
      await tells("memory two 1024");
      expect(card(town.developer)).toContain("❌ two memory wasn't changed");
      expect(card(town.developer)).toContain("Nothing was changed.");
      expect(card(town.developer)).toContain("WORKLOAD_API_RESOURCES_KEY=resource");
      expect(api.refused).toHaveLength(1);
      // Other updates have no such field.
      await tells("scale two 3");
      expect(card(town.developer)).toContain("two scaled to 3");
    });
  });

  test("works with the setting", async () => {
    const settings = { resourcesKey: "resource" } as const; // the setting's word
    await scene(
      { resourcesKey: "resource" },
      async ({ tells, town }) => {
        await tells("memory two 1024");
        expect(card(town.developer)).toContain("two memory set to 1024 MiB");
      },
      { policy: openPolicy, settings },
    );
  });
});

test("a verb that such an API can't do is refused before its form is filled in, with a workload or without", async () => {
  await scene({}, async ({ town }) => {
    const { developer } = town;
    const seen: string[] = [];
    for (const words of ["deploy", "deploy two", "env", "env two", "rollback", "scale two"]) {
      await says(town, developer, `/gantry ${words}`);
      await town.settled();
      const shown = form(developer);
      seen.push(
        `${words}: ${/doesn't say that it can change the (?:image|environment)/u.exec(shown)?.[0] ?? "a form"}`,
      );
      expect([words, Object.keys(developer.modal()?.state ?? {}).length > 0]).toEqual([words, words === "scale two"]);
      await developer.closes();
    }

    expect(seen).toEqual([
      "deploy: doesn't say that it can change the image",
      "deploy two: doesn't say that it can change the image",
      "env: doesn't say that it can change the environment",
      "env two: doesn't say that it can change the environment",
      "rollback: doesn't say that it can change the image",
      "scale two: a form",
    ]);
  });
});

test("older cards of a deleted service say so, also where it was still watched, and older looks stay", async () => {
  await scene(
    {},
    async ({ tells, town }) => {
      const headlines = () => town.developer.sees("ops").map(({ text }) => text.split("\n")[0]);
      await tells("scale two 3");
      await tells("create service four --image gantry/hello-web");
      await tells("show two");
      expect(headlines()).toEqual(["🟡 two scaled to 3", "🟡 four created", "🟢 two · running"]);

      await tells("delete two");
      await tells("delete four");
      for (let looks = 0; looks < 3; looks += 1) {
        town.passMinutes(4);
        await town.sweep();
      }
      await clicks(town, town.developer, "Refresh");

      expect(newest(town.developer)).toContain("two was deleted 12m ago by Dana Reyes.");
      expect(headlines().slice(0, 3)).toEqual(["⚪️ two scaled to 3", "⚪️ four created", "🟢 two · running"]);
      expect(town.developer.sees("ops")[0]?.text).toContain("deleted meanwhile");
    },
    { policy: openPolicy, settings: { healthyAfterMs: 60_000 } },
  );
});

test("what shows after several looks is accepted until it does, then done", async () => {
  await scene({ lateReads: 4 }, async ({ tells, town }) => {
    const afterAWhile = async (): Promise<string> => {
      for (let looks = 0; looks < 4; looks += 1) {
        town.passMinutes(0.2);
        await town.sweep();
      }
      return card(town.developer);
    };
    await tells("scale two 3");
    expect(card(town.developer)).toContain("🟡 Scale two to 3: accepted, not visible yet");
    expect(await afterAWhile()).toContain("✅ two scaled to 3");
    await tells("domains two add c.example.com");
    expect(card(town.developer)).toContain("🟡 Change domains of two: accepted, not visible yet");
    expect(await afterAWhile()).toContain("✅ two domains changed");
    await tells("delete two");
    expect(card(town.developer)).toContain("🟡 Delete two: accepted, not visible yet");
    expect(await afterAWhile()).toContain("✅ two deleted");
  });
});

test("no button offers what such an API can't do, and one that can has them", async () => {
  const able = { title: "Test", regions: [], takesAnyMemory: true, keepsRevisions: true, pushesChanges: false };
  const offers = async (engine?: typeof able): Promise<string> => {
    const town = scripted({ apiFetch: documentedApi({}).fetch, ...(engine && { engine }) });
    const shown = await Promise.all(["undo two", "help deploy"].map(async (words) => answerTo(words, town)));
    return shown.map((answer) => /\[Roll back…\]|\[Open form\]/u.exec(drawnAll(answer))?.[0] ?? "none").join(", ");
  };

  expect(await offers()).toBe("none, none");
  expect(await offers(able)).toBe("[Roll back…], [Open form]");
  // A card offers Deploy by the revision that a service reports, and such an API reports none.
  const { tells } = toldOver({});
  expect(await tells("show two")).not.toMatch(/\[Deploy|Rollback|Roll back/u);
});

test("Home offers no form of a verb that such an API can't do", async () => {
  await scene({}, async ({ town }) => {
    await town.developer.opensHome();
    await town.settled();
    const home = JSON.stringify(town.developer.home());
    expect(home).toContain('"value":"memory"');
    expect(home).not.toMatch(/"value":"(?:deploy|rollback|env)"/u);
  });
});
