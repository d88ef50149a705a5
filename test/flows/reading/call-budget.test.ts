import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { card, clicks, says } from "../../support/speak.ts";
import { type World, world, newest } from "../../support/world.ts";

/** A file in a thread takes three requests: https://docs.slack.dev/messaging/working-with-files */
const upload = new Set(["files.getUploadURLExternal", "upload", "files.completeUploadExternal"]);

/** How the bot gets its deliveries, not what one of them costs. */
const connecting = new Set(["apps.connections.open", "connection"]);

/** What the bot asked Slack for since the start, beyond the pages of threads: replies there, and files. */
function slackCalls({ playground }: World): readonly string[] {
  return playground
    .transcript()
    .filter(({ direction, request }) => direction === "from bot" && !JSON.stringify(request).includes("thread_ts"))
    .map(({ kind }) => kind)
    .filter((kind) => !upload.has(kind) && !connecting.has(kind));
}

/** What one command costs: calls of the API, and calls of Slack. */
async function cost(town: World, text: string): Promise<{ api: number; slack: readonly string[] }> {
  const apiBefore = town.calls().length;
  const slackBefore = slackCalls(town).length;
  await says(town, town.developer, text);
  return { api: town.calls().length - apiBefore, slack: slackCalls(town).slice(slackBefore) };
}

/** The first pause of the health check; the pauses of a read-back are shorter. */
const HEALTH_PAUSE_MS = 2_000;

/** A world that notes how many calls had been made when the bot began to follow a workload's health. */
async function healthTown(policy?: string): Promise<{ town: World; atHealth: () => number; forget: () => void }> {
  let noted: number | undefined;
  const town = await approvalTown({
    ...(policy !== undefined && { policy }),
    async wait(ms) {
      if (ms >= HEALTH_PAUSE_MS) noted ??= town.calls().length;
      await turn();
    },
  });
  return { town, atHealth: () => noted ?? town.calls().length, forget: () => void (noted = undefined) };
}

test("an answer, a thread and a file cost at most two calls of Slack, and what their verbs cost of the API", async () => {
  await using town = await approvalTown();

  for (const text of ["list", "logs web", "history web --json", "can-i scale web 3"]) {
    const { api, slack } = await cost(town, `/gantry ${text}`);
    expect(api, text).toBeLessThanOrEqual(2);
    expect(slack.length, `${text}: ${slack.join(", ")}`).toBeLessThanOrEqual(2);
  }
});

test("a write costs at most five calls of the API, and five more for its health", async () => {
  const { town, atHealth, forget } = await healthTown(openPolicy);
  await using _town = town;
  const running = async (): Promise<boolean> => (await town.service("web")).status === "Running";
  const writes = [
    "create service api --image test/web --memory 512",
    "scale web 3",
    "memory web 1024",
    "domains web add shop.example.com",
    "restart web",
    "stop web",
    "start web",
    "delete web",
    "create service broken --image test/failing",
  ];

  for (const text of writes) {
    // Earlier requests about it are followed to their end before: another one makes them look again.
    for (let look = 0; look < 3; look += 1) {
      town.passMinutes(10);
      await town.sweep();
      await town.settled();
    }
    forget();
    const before = town.calls().length;
    await cost(town, `/gantry ${text}`);
    expect(atHealth() - before, text).toBeLessThanOrEqual(5);
    expect(town.calls().length - atHealth(), text).toBeLessThanOrEqual(5);
    if (text.startsWith("stop")) await town.until(async () => (await town.service("web")).status === "Stopped");
    else if (/web/u.test(text) && !text.startsWith("delete")) await town.until(running);
  }
});

test("a change that needs nobody costs a card, its last drawing, and a look at who asks when that is not known; a sweep costs nothing", async () => {
  await using town = await approvalTown();

  expect((await cost(town, "/gantry scale web 3")).slack).toEqual(["users.info", "chat.postMessage", "chat.update"]);
  expect((await cost(town, "/gantry scale web 4")).slack).toEqual(["chat.postMessage", "chat.update"]);

  // Neither what ended nor what waits is looked at without a reason.
  await says(town, town.developer, "/gantry stop web");
  // The first sweep looks at the scale once more, because the stop changed its workload.
  await town.sweep();
  const before = [town.calls().length, slackCalls(town).length];
  await town.sweep();
  await town.sweep();
  expect([town.calls().length, slackCalls(town).length]).toEqual(before);
});

test.each([
  { counts: "counts its instances", line: "3 of 3 running", calls: 3, draws: ["chat.postMessage"] },
  // Its status may be from before, so it is looked at again.
  { counts: "counts none", line: "Running", calls: 4, draws: ["chat.postMessage", "chat.update"] },
])("a scale that the read-back shows is told at once; the API $counts", async ({ line, calls, draws }) => {
  let size = 2;
  await using town = await world({
    policy: openPolicy,
    async apiFetch(request) {
      if (request.method === "PUT") size = 3;
      const instances = { target_instance_size: size, ...(calls === 3 && { ready_instances: size }) };
      const containers = [{ name: "c", image: "gantry/hello-web" }];
      return Response.json({ uid: "u-web", name: "web", status: "Running", ...instances, containers });
    },
  });

  const { api, slack } = await cost(town, "/gantry scale web 3");

  const [headline, facts] = card(town.developer).split("\n");
  expect(headline).toBe("✅ web scaled to 3");
  expect(facts).toMatch(new RegExp(`^${line} · `, "u"));
  expect(api).toBe(calls);
  expect(slack).toEqual(["users.info", ...draws]);
});

test("an approval costs Slack who could vote, the card, who votes, and the card as it goes on; and no more calls of the API", async () => {
  const { town, atHealth } = await healthTown();
  await using _town = town;
  const { developer, approver } = town;

  const apiBefore = town.calls().length;
  const asked = await cost(town, "/gantry memory web 1024");
  // The card is posted without its buttons, and gets them once its place is stored.
  // It names everybody who can approve, once they are looked up.
  const card = ["chat.postMessage", "users.info", "users.info", "chat.update"];
  expect(asked.slack).toEqual(["users.info", "conversations.members", "users.info", ...card]);

  town.passMinutes(1);
  const before = slackCalls(town).length;
  await clicks(town, approver, "Approve");
  const voted = slackCalls(town).slice(before);

  // Who votes and who asked are looked up anew, the rest is three drawings: that it runs, its end, and health.
  // The voter and the channel are looked up twice when a millisecond ends between the vote and the look at what is known of them.
  const profiles = voted.filter((kind) => kind === "users.info").length;
  const members = voted.filter((kind) => kind === "conversations.members").length;
  expect([2, 3]).toContain(profiles);
  expect([1, 2]).toContain(members);
  expect(voted.filter((kind) => kind === "chat.update")).toHaveLength(3);
  expect(voted.filter((kind) => kind === "response_url")).toEqual([]);
  expect(voted).toHaveLength(3 + members + profiles);
  expect(developer.sees("ops").filter(({ threadTs, ts }) => threadTs !== undefined && threadTs !== ts)).toHaveLength(1);

  // The read at its execution included.
  expect(town.calls().slice(apiBefore, atHealth())).toContain("updateService");
  expect(atHealth() - apiBefore).toBeLessThanOrEqual(5);
  expect(town.calls().length - atHealth()).toBeLessThanOrEqual(5);
});

test("a change by form costs the same five calls, what the form shows included", async () => {
  const { town, atHealth, forget } = await healthTown(openPolicy);
  await using _town = town;
  const { developer } = town;
  const before = (): number => {
    forget();
    return town.calls().length;
  };

  let began = before();
  await says(town, developer, "/gantry create service api");
  await developer.submits({ image: "test/web", memory: "512" });
  await town.settled();
  await developer.submits();
  await town.settled();
  expect(atHealth() - began, "create").toBeLessThanOrEqual(5);
  await developer.closes();

  for (const [words, values] of [
    ["scale web", { size: "3" }],
    ["memory web", { mib: "1024" }],
  ] as const) {
    began = before();
    await says(town, developer, `/gantry ${words}`);
    await developer.submits(values);
    await town.settled();
    expect(atHealth() - began, words).toBeLessThanOrEqual(5);
    await developer.closes();
    await town.until(async () => (await town.service("web")).status === "Running");
  }
});

type Seen = { readonly statements: number; readonly commits: number };

/** What one command costs the database, from its delivery to the settled card. */
async function costOf(text: string): Promise<Seen & { readonly card: string }> {
  const seen: string[] = [];
  const web = {
    name: "web",
    uid: "u1",
    status: "Running",
    target_instance_size: 2,
    ready_instances: 2,
    containers: [{ name: "c", image: "gantry/hello-web", resources: { limits: { memory: "512" } } }],
  };
  async function apiFetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (request.method === "PUT") {
      const { target_instance_size: size } = (await request.json()) as { readonly target_instance_size: number }; // the body of a scale
      Object.assign(web, { target_instance_size: size, ready_instances: size });
      return Response.json({});
    }
    if (request.method === "POST") return Response.json({});
    if (pathname.endsWith("/services/web")) return Response.json(web);
    if (pathname.endsWith("/services")) return Response.json({ services: [web] });
    return pathname.endsWith("/jobs") ? Response.json({ jobs: [] }) : Response.json({}, { status: 404 });
  }
  await using town = await world({ apiFetch, onStatement: (sql) => void seen.push(sql) });
  await town.developer.says("/gantry list");
  await town.settled();
  seen.length = 0;
  await town.developer.says(text);
  await town.settled();
  return { ...counted(seen), card: newest(town.developer).split("\n")[0] ?? "" };
}

/** A write outside a transaction is a commit of its own. */
function counted(seen: readonly string[]): Seen {
  let isInside = false;
  let commits = 0;
  for (const sql of seen) {
    if (sql === "begin") isInside = true;
    if (sql === "commit") isInside = false;
    if (sql === "commit" || (!isInside && /^(?:insert|update|delete)/u.test(sql))) commits += 1;
  }
  return { statements: seen.length, commits };
}

test("scaling a service takes at most 23 statements and 6 commits", async () => {
  const { card, statements, commits } = await costOf("/gantry scale web 3");

  expect(card).toBe("✅ web scaled to 3");
  expect(statements).toBeLessThanOrEqual(23);
  expect(commits).toBeLessThanOrEqual(6);
});
