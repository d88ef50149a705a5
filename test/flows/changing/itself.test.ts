import { afterEach, beforeEach, expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { othersApprove } from "../../support/policies.ts";
import { card, clicks, form, says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

const command = "kubectl -n ops scale deployment/gantry --replicas=1";
const gone = "Gantry itself stops: nobody answers afterwards";
const back = `o bring it back: ${command}`;

let town: World;
/** What was written, as paths below the services. */
let writes: string[];

beforeEach(() => void (writes = []));
afterEach(async () => town.close());

/** A town whose bot runs in the service `gantry`. */
async function open(policy: string): Promise<World> {
  const gantry = {
    name: "gantry",
    uid: "u-gantry",
    status: "Running",
    target_instance_size: 1,
    ready_instances: 1,
    containers: [{ name: "bot", image: "gantry:1" }],
    instance_names: ["gantry-7d9f-x1"],
    start_command: command,
  };
  town = await approvalTown({
    policy,
    settings: { host: "gantry-7d9f-x1" },
    async via(request, send) {
      const [, rest] = /\/services\/gantry(\/\w+)?$/u.exec(new URL(request.url).pathname) ?? ["", "none"];
      if (rest === "none") return send(request);
      if (request.method === "GET") return Response.json(gantry);
      writes.push(rest ?? request.method);
      if (rest === "/stop") gantry.status = "Stopped";
      return Response.json({});
    },
  });
  return town;
}

test("Gantry asks before it stops itself, although policy lets it run, and the card keeps how to bring it back", async () => {
  const { developer } = await open(openPolicy);

  const question = await says(town, developer, "/gantry stop gantry");

  expect(question).toContain("Stop gantry?");
  expect(question).toContain(gone);
  expect(question).toContain(back);
  expect(writes).toEqual([]);

  await clicks(town, developer, "Go on");

  expect(writes).toEqual(["/stop"]);
  expect(card(developer)).toContain(back);
});

test("a form asks, too, where it was sent", async () => {
  const { developer } = await open(openPolicy);

  await says(town, developer, "/gantry scale gantry");
  await developer.submits({ size: "0" });
  await town.settled();

  expect(form(developer)).toContain(gone);
  expect(writes).toEqual([]);

  expect(form(developer)).toContain("Answer it in the message where you asked.");
  await developer.closes();
  await clicks(town, developer, "Go on");

  expect(writes).toEqual(["PUT"]);
});

test("where others approve, they read it on the card, and nobody is asked twice", async () => {
  const { developer, approver } = await open(othersApprove);

  await says(town, developer, "/gantry stop gantry --reason moving");

  expect(card(approver)).toContain(gone);
  expect(card(approver)).toContain(back);
  expect(writes).toEqual([]);

  await clicks(town, approver, "Approve");

  expect(writes).toEqual(["/stop"]);
});
