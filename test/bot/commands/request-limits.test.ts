import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseText } from "../../../src/bot/commands/grammar/parse.ts";
import { checkedBody } from "../../../src/service/api/checked-body.ts";
import { routesOf, loadSpec, validatorsOf } from "../../../src/service/api/contract.ts";
import { web } from "../views/support/workloads.ts";
import { errorsOf } from "./support/form-of.ts";
import { scripted, type Script } from "./support/script.ts";
import { refusal } from "./support/refusal.ts";
import { bothWays, typed } from "./support/said-both-ways.ts";

const validator = validatorsOf(loadSpec());
const routes = routesOf(loadSpec());

async function proposed(text: string, script: Script = { services: [web] }) {
  const { command, ask } = parseText(text);
  if (command.effect !== "write") throw new Error(`${text} is no write`);
  return await command.propose(ask, scripted(script).context);
}

/** The workload API's objections to the request these words send; empty when it accepts. */
async function refusedByService(text: string): Promise<unknown> {
  const { call } = await proposed(text);
  const route = routes.find(({ op }) => op === call.op);
  if (!route?.body) return undefined;
  const wrong = validator(route.body.schema)(call.body);
  return wrong ?? (checkedBody(call.op, call.body) && undefined);
}

const reasonOf = (text: string): string => refusal(text).split(" | ")[0] ?? "";
const job = "create job nightly --image gantry/batch";
const service = "create service shop --image gantry/hello-web";

describe("a request that the workload API would refuse is refused before anyone has to approve it", () => {
  test.each([
    ["scale web 1001", "Instances must be a whole number from 0 to 1000."],
    [`${service} --instances 1001`, "--instances must be a whole number from 0 to 1000."],
    [`${service} --port 53/udp`, "“53/udp” can't be opened. The workload API accepts only TCP ports: write 53."],
    [`${service} --publish 53/UDP`, "“53/UDP” can't be opened. The workload API accepts only TCP ports: write 53."],
    [
      `${job} --memory 2Ti`,
      "“2Ti” isn't a memory size. Write a size from 1 MiB to 1 TiB, as in 512 (MiB), 512Mi or 1Gi.",
    ],
    [
      `${job} --volume data --mount data:/etc`,
      "“data:/etc” isn't a mount. Its path must not be /etc, which belongs to the system: use another path, such as /data.",
    ],
    [
      `${job} --volume data --mount data:/a/../b`,
      "“data:/a/../b” isn't a mount. Its path must not contain . or .. segments.",
    ],
    [
      `${job} --volume data --volume logs --mount data:/data --mount logs:/data/`,
      "--mount uses /data twice: mount one volume per path.",
    ],
    [`${job} --volume data --volume data`, "--volume declares data twice: give each volume its own name."],
    [
      `${job} --volume .data`,
      `“.data” isn't a job volume. A volume name has 1 to 63 letters, digits, ".", "_" and "-", with a letter or digit first and last.`,
    ],
    [`${job} --volume data=tmpfs`, "“data=tmpfs” isn't a job volume. Write NAME, or NAME=host."],
    [
      `${service} ${Array.from({ length: 6 }, (_, at) => `--port ${at + 1} --publish ${at + 100}`).join(" ")}`,
      "--port and --publish together name more than 10 ports, the limit for one container.",
    ],
    [`${service} --domain 127.0.0.1`, "`127.0.0.1` isn't a domain name. Write one like `shop.example.com`."],
    [
      "create job nightly- --image gantry/batch",
      "Names use lowercase letters, digits and dashes, and start with a letter. They can't end with a dash. Did you mean “nightly”?",
    ],
  ])("%s", (text, sentence) => {
    expect(reasonOf(text)).toBe(sentence);
  });

  test("in a form, beside its field", () => {
    const values = { kind: "job", name: "nightly-", image: "gantry/batch", memory: "2Ti", port: "53/udp" };

    expect(errorsOf("create", values)).toMatchObject({
      name: expect.stringContaining("They can't end with a dash."),
      memory: expect.stringContaining("from 1 MiB to 1 TiB"),
      port: "“53/udp” can't be opened. The workload API accepts only TCP ports: write 53.",
    });
  });

  test("a domain more than a service can have", async () => {
    const full = { ...web, binding_domain_name: Array.from({ length: 200 }, (_, at) => `d${at}.example.com`) };

    await expect(proposed("domains web add one.example.com", { services: [full] })).rejects.toThrow(
      "web would have 201 domains. The limit is 200.",
    );
  });
});

test("a memory size in another unit becomes whole MiB, never less than requested", async () => {
  const memories = ["512M", "1.5Gi", "600000Ki", "536870912B"].map(async (memory) => {
    const { call, diff } = await proposed(`${job} --memory ${memory}`);
    return [JSON.stringify(call.body).match(/"memory":"(\w+)"/u)?.[1], diff.find((line) => line.startsWith("memory"))];
  });

  expect(await Promise.all(memories)).toEqual([
    ["489Mi", "memory 489 MiB"],
    ["1536Mi", "memory 1536 MiB"],
    ["586Mi", "memory 586 MiB"],
    ["512Mi", "memory 512 MiB"],
  ]);
});

test("a repeated port or domain is sent once", async () => {
  const words = "--port 80 --port 80/tcp --publish 80 --domain a.example.com --domain A.example.com";
  const { call } = await proposed(`${service} ${words}`);

  expect(call.body).toMatchObject({
    containers: [{ ports: [{ port: 80 }] }],
    port_mappings: [{ container_port: 80 }],
    binding_domain_name: ["a.example.com"],
  });
});

describe("the workload API accepts every request that the bot accepts and sends", () => {
  const writes = Object.entries(bothWays).filter(([verb]) => ["create", "scale", "domains"].includes(verb));

  test.each(writes)("%s", async (verb, said) => {
    const property = fc.asyncProperty(said, async ({ words }) => {
      const text = typed(verb, words).replace(/(scale|domains)(\s+)\S+/u, "$1$2web");
      expect({ text, wrong: await refusedByService(text) }).toEqual({ text, wrong: undefined });
    });

    await fc.assert(property);
  });
});
