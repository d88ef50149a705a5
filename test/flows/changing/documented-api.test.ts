import { describe, expect, test } from "vitest";
import { commands } from "../../../src/bot/commands/verbs.ts";
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

type Scene = {
  readonly town: World;
  readonly api: DocumentedApi;
  /** Types the command without `/gantry`; what the developer sees then. */
  readonly tells: (command: string) => Promise<string>;
};

/** A town on such an API, whose story is told. */
async function scene(
  habits: Habits,
  tell: (scene: Scene) => Promise<void>,
  options: WorldOptions = { policy: openPolicy },
): Promise<void> {
  const api = documentedApi(habits);
  await using town = await world({ ...options, apiFetch: api.fetch });
  await tell({ town, api, tells: (command) => says(town, town.developer, `/gantry ${command}`) });
}

/** A request that waits for somebody, under the built-in policy. */
async function waiting({ tells, town }: Scene): Promise<string> {
  await tells("domains two set c.example.com");
  expect(card(town.developer)).toMatch(/^⏳ Change domains of two\?.*0 of 1/su);
  return idOf(card(town.developer));
}

type Flow = (scene: Scene) => Promise<void>;
const underApproval = new Set(["pending", "approve", "reject", "cancel"]);

/** What each verb tells people on such an API. */
const flows: Readonly<Record<string, Flow>> = {
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
  async logs({ tells }) {
    expect(await tells("logs two")).toContain("GET /orders 200");
    await tells("create job nightly --image gantry/batch");
    expect(await tells("logs job/nightly")).toContain("exported 12 rows");
  },
  async create({ tells, town, api }) {
    expect(await tells("create service three --image gantry/hello-web --memory 512 --port 80")).toContain(
      "three created",
    );
    expect(api.writes[0]).toMatchObject({ request: "POST /services/three" });
    await tells("create job nightly --image gantry/batch --memory 512");
    expect(card(town.developer)).toContain("nightly");
    await town.sweep();
    expect(await tells("show job/nightly")).toContain("nightly");
  },
  async run({ tells, api }) {
    await tells("create job nightly --image gantry/batch");
    expect(await tells("run nightly")).toContain(
      "Only a CronJob can be run now, and the workload API reports no schedule of nightly.",
    );
    expect(api.writes).toHaveLength(1);
  },
  async scale({ tells, town }) {
    await tells("scale two 3");
    expect(card(town.developer)).toMatch(/two scaled to 3.*instances 2 → 3/isu);
  },
  async memory({ tells, town, api }) {
    await tells("memory two 1024");
    expect(card(town.developer)).toContain("🟡 Memory change of two to 1024 MiB accepted");
    expect(card(town.developer)).toContain("memory not reported → 1024 MiB");
    expect(card(town.developer)).toContain("Accepted, can't be confirmed: the workload API doesn't report memory.");
    expect(card(town.developer)).not.toContain("[Undo]");
    expect(api.writes).toHaveLength(1);
  },
  async deploy({ tells, api }) {
    expect(await tells("deploy two 1.5")).toContain(
      "This workload API doesn't say that it can change the image of a service.",
    );
    expect(api.writes).toEqual([]);
  },
  async rollback({ tells, api }) {
    expect(await tells("rollback two")).toContain(
      "This workload API doesn't say that it can change the image of a service.",
    );
    expect(api.writes).toEqual([]);
  },
  async env({ tells, api }) {
    expect(await tells("env two --unset OLD")).toContain(
      "This workload API doesn't say that it can change the environment of a service.",
    );
    expect(api.writes).toEqual([]);
  },
  async versions({ tells }) {
    expect(await tells("versions two")).toContain("The workload API doesn't say which versions two ran.");
  },
  async domains({ tells, town, api }) {
    expect(await tells("domains two add c.example.com")).toMatchInlineSnapshot(`
      "Couldn't add to the domains of two: the workload API doesn't report them, and an update replaces the whole list.
      Nothing was changed. Set the complete list: /gantry domains service/two set DOMAIN…."
    `);
    expect(await tells("domains two remove a.example.com")).toContain("Couldn't remove from the domains of two");
    expect(api.writes).toEqual([]);
    expect(api.domainsOf("two")).toEqual(["a.example.com", "b.example.com"]);

    await tells("domains two set a.example.com b.example.com c.example.com");

    expect(api.domainsOf("two")).toEqual(["a.example.com", "b.example.com", "c.example.com"]);
    expect(card(town.developer).replace(/^[0-9A-Z]{6} ·/mu, "7QK2MP ·")).toMatchInlineSnapshot(`
      "🟡 Domain change of two accepted
      • + domain a.example.com
      • + domain b.example.com
      • + domain c.example.com
      • − all other domains, which the workload API doesn't report: this can't be undone
      Active · requested by @dana
      Accepted, can't be confirmed: the workload API doesn't report domains.
      7QK2MP · policy: everything
      [Logs] [Show two] [Tell me here]"
    `);
  },
  async start({ tells, town }) {
    expect(await tells("start two")).toContain("two is already running. Nothing to do.");
    await tells("stop two");
    await tells("start two");
    expect(card(town.developer)).toContain("two started");
  },
  async stop({ tells, town }) {
    await tells("stop two");
    expect(card(town.developer)).toContain("two stopped");
    expect(await tells("stop two")).toContain("two is already stopped. Nothing to do.");
    expect(await tells("show two")).toContain("two · suspended");
  },
  async restart({ tells, town }) {
    await tells("restart two");
    expect(card(town.developer)).toContain("🟡 Restart of two accepted");
    expect(card(town.developer)).toContain("Accepted, can't be confirmed: the workload API doesn't report restarts.");
    expect(card(town.developer)).not.toContain("restarted");
    expect(await tells("history")).toContain("🟡 Restart two: accepted, but the workload API doesn't report restarts");
    expect(await tells("show two")).toContain("Last change: restart accepted, not confirmed");
  },
  async delete({ tells, town }) {
    await tells("delete two");
    expect(card(town.developer)).toContain("two deleted");
    expect(await tells("list")).toContain("No workloads in beijing1 yet.");
  },
  async undo({ tells, town, api }) {
    await tells("domains two set c.example.com");
    const told = await tells("undo");
    expect(told).toContain("None of your latest changes can be undone. Nothing was changed.");
    expect(told).toContain("nor a change of what the workload API didn't report");
    await tells("scale two 3");
    expect(await tells("undo")).toContain("Undo this change?");
    await clicks(town, town.developer, "Undo");
    expect(api.writes.at(-1)?.body).toEqual({ target_instance_size: 2 });
  },
  async pending(all) {
    await waiting(all);
    expect(await all.tells("pending")).toContain("two");
  },
  async approve(all) {
    const id = await waiting(all);
    await says(all.town, all.town.approver, `/gantry approve ${id}`);
    expect(card(all.town.developer)).toContain("🟡 Domain change of two accepted");
    expect(all.api.domainsOf("two")).toEqual(["c.example.com"]);
  },
  async reject(all) {
    const id = await waiting(all);
    await says(all.town, all.town.approver, `/gantry reject ${id} --reason later`);
    expect(card(all.town.developer)).toContain("🚫 Rejected: change domains of two");
    expect(all.api.writes).toEqual([]);
  },
  async cancel(all) {
    const id = await waiting(all);
    await all.tells(`cancel ${id}`);
    expect(card(all.town.developer)).toContain("🚫 Cancelled: change domains of two");
    expect(all.api.writes).toEqual([]);
  },
  async history({ tells }) {
    await tells("restart two");
    await tells("create service three --image gantry/hello-web");
    await tells("restart two three");
    const told = await tells("history");
    expect(told.match(/Restart (?:two|three): accepted, but the workload API doesn't report restarts/gu)).toHaveLength(
      3,
    );
    expect(told).not.toContain("restarted");
  },
  async "can-i"({ tells }) {
    expect(await tells("can-i delete two")).toMatch(/delete/iu);
  },
  async whoami({ tells }) {
    expect(await tells("whoami")).toContain("gantry, workspace account");
  },
  async status({ tells }) {
    expect(await tells("status")).toMatch(/workload API/iu);
  },
  async watch({ tells }) {
    expect(await tells("watch two")).toContain("watches two");
  },
  async watches({ tells }) {
    await tells("watch two");
    expect(await tells("watches")).toContain("failing for 2 minutes");
  },
  async unwatch({ tells }) {
    await tells("watch two");
    expect(await tells("unwatch two")).toContain("stopped watching two");
  },
  async mute({ tells }) {
    expect(await tells("mute two 2h")).toContain("muted two");
  },
  async unmute({ tells }) {
    await tells("mute two 2h");
    expect(await tells("unmute two")).toContain("unmuted two");
  },
  async use({ tells }) {
    expect(await tells("use --region beijing2")).toContain("beijing2");
  },
  async connect({ tells, town }) {
    await tells("connect");
    await town.developer.submits({ username: "dana-own", token: "t".repeat(48) });
    await town.settled();
    await town.developer.closes();
    expect(whispers(town.developer).at(-1)).toContain("dana-own");
  },
  async disconnect({ tells }) {
    expect(await tells("disconnect")).toMatch(/Nothing to disconnect/u);
  },
  async version({ tells }) {
    expect(await tells("version")).toMatch(/Gantry \d/u);
  },
  async help({ tells }) {
    expect(await tells("help")).toContain("scale");
  },
};

describe("on a workload API that only does what its document says", () => {
  test("every verb has a story here", () => {
    expect(Object.keys(flows).toSorted()).toEqual(commands.map(({ name }) => name).toSorted());
  });

  test.each(Object.entries(flows))("%s", async (verb, flow) => {
    const options = underApproval.has(verb) ? {} : { policy: openPolicy };
    await scene(
      terse,
      async (all) => {
        await flow(all);
        // Nothing was sent that the document doesn't have.
        expect(all.api.refused).toEqual([]);
      },
      options,
    );
  });
});

describe("what isn't reported is unknown", () => {
  test("setting the domains needs an approval, because any may go", async () => {
    await scene(
      terse,
      async ({ tells, town, api }) => {
        await tells("domains two set a.example.com b.example.com c.example.com");
        expect(card(town.developer)).toMatch(/^⏳ Change domains of two\?/u);
        expect(card(town.developer)).toContain("− all other domains, which the workload API doesn't report");
        expect(api.writes).toEqual([]);
      },
      {},
    );
  });

  test("the form begins empty and says that it replaces the list", async () => {
    await scene(terse, async ({ tells, town, api }) => {
      await tells("domains two");
      expect(form(town.developer)).toContain("may have domains: the workload API doesn't report them");
      await town.developer.submits({ domains: "c.example.com" });
      await town.settled();
      expect(form(town.developer)).toContain("− all other domains");
      expect(api.writes).toEqual([]);
    });
  });

  test("the size of a service is unknown, not 0", async () => {
    await scene({ leavesOut: ["target_instance_size", "status"] }, async ({ tells, town, api }) => {
      expect(await tells("list")).not.toMatch(/\b0\b|0 instances/u);
      expect(await tells("show two")).toMatch(/🟡 two · status unknown.*Not reported by the workload API: instances/su);
      expect(await tells("scale two +1")).toContain("The workload API didn't say how many instances two has.");
      expect(api.writes).toEqual([]);
      await tells("scale two 5");
      expect(card(town.developer)).toContain("🟡 Scaling of two to 5 accepted");
      await tells("stop two");
      expect(card(town.developer)).toMatch(/🟡 Stop of two accepted.*doesn't report its status/su);
      await tells("delete two");
      expect(api.writes.map(({ request }) => request)).toEqual([
        "PUT /services/two",
        "PUT /services/two/stop",
        "DELETE /services/two",
      ]);
    });
  });

  test("a job whose instances aren't reported has started, for all anybody knows", async () => {
    await scene({ leavesOut: ["instance_names", "status"] }, async ({ tells }) => {
      await tells("create job nightly --image gantry/batch");
      expect(await tells("show job/nightly")).toContain("🟡 nightly · status unknown");
      expect(await tells("logs job/nightly")).toContain("doesn't report the instances of job nightly");
      expect(await tells("logs job/nightly --instance nightly-x7k2p")).toContain("exported 12 rows");
    });
  });

  test("a copy of a service says what it couldn't copy", async () => {
    await scene({ leavesOut: ["containers.env", "containers.resources", "volumes"] }, async ({ tells, town }) => {
      await tells("show two");
      await clicks(town, town.developer, "Create like this");
      expect(form(town.developer)).toContain(
        "Not copied, because the workload API doesn't report it: memory, environment, volumes",
      );
    });
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

test("older cards and looks of a deleted service stay what they were, also where it was still watched", async () => {
  await scene(
    {},
    async ({ tells, town }) => {
      const headlines = () => town.developer.sees("ops").map(({ text }) => text.split("\n")[0]);
      await tells("scale two 3");
      await tells("create service four --image gantry/hello-web");
      await tells("show two");
      const before = headlines();
      expect(before).toEqual(["🟡 two scaled to 3", "🟡 four created", "🟢 two · running"]);

      await tells("delete two");
      await tells("delete four");
      for (let looks = 0; looks < 6; looks += 1) {
        town.passMinutes(2);
        await town.sweep();
      }
      await clicks(town, town.developer, "Refresh");

      expect(newest(town.developer)).toContain("There is no service named two in beijing1.");
      expect(headlines().slice(0, before.length)).toEqual(before);
      expect(town.developer.sees("ops")[0]?.text).toContain("deleted meanwhile");
    },
    { policy: openPolicy, settings: { healthyAfterMs: 60_000 } },
  );
});

test("what shows after several looks is accepted until it does, then done", async () => {
  await scene({ lateReads: 4 }, async ({ tells, town }) => {
    const afterAWhile = async (): Promise<string> => {
      for (let looks = 0; looks < 6; looks += 1) {
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
