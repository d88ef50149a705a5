import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createApi } from "../../../../src/api/client.ts";
import { warningHeaders } from "../../../../src/api/extension-headers.ts";
import { Problem } from "../../../../src/api/problem.ts";
import { sendTo } from "../../../../src/platform/http/send.ts";
import { createEnvValues } from "../../../../src/bot/workflow/access/env-values.ts";
import { guardedApi } from "../../../../src/bot/workflow/access/guarded-api.ts";
import { calls, dana } from "../../../api/calls.ts";
import { stillClock } from "../../../support/test-clock.ts";

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: unknown;
  readonly format?: unknown;
};

const document = parse(readFileSync("openapi.yaml", "utf8")) as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** Names of the fields of a schema that hold any text, with those around them. */
function textFields(schema: Schema, path: readonly string[] = []): readonly string[] {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    const found = document.components.schemas[name];
    return found === undefined || path.includes(name) ? [] : textFields(found, path);
  }
  const inner = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const isText = [schema.type].flat().includes("string") && schema.enum === undefined && schema.format === undefined;
  return [
    ...(isText ? [path.join(".")] : []),
    ...inner.flatMap((each) => textFields(each, path)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => textFields(each, [...path, name])),
    ...(schema.items === undefined ? [] : textFields(schema.items, path)),
  ];
}

/** Names, sizes, images and the like: no sentences. A command is what somebody asked for. */
const areNoSentences =
  /(?:^|\.)(?:\w*name|names?|image|image_digest|\w*memory|cpu|uid|kind|kubernetes_kind|managed_by|cron|time_zone|last_job|type|status|operation|revision|domain|url|\w*domain_name\w*|instance_names|default_domain_name|zone|of|architecture|host|path|protocol|digest|from|to|region|namespace|state|size_set_by|service_url|start_command)$/u;
const notOurs = /^(?:containers|spec|metadata|init_containers|sidecars)\b/u;

/** The API with these answers, as the bot reads it. */
function guarded(answer: (path: string) => Response) {
  const clock = stillClock();
  const send = sendTo((request) => Promise.resolve(answer(new URL(request.url).pathname)));
  return guardedApi(createApi({ baseUrl: "http://service.test", clock, send }), createEnvValues(clock)).as(dana);
}

/** An object with a text in a field, inside of others; lists have one item. */
function withText(path: readonly string[], text: string): unknown {
  const [name, ...rest] = path;
  return name === undefined ? text : { [name]: withText(rest, text) };
}

const hidden = "password=hunter2trout";

test.each(["Service", "Job"])("every sentence that a %s of the API may have is redacted", async (kind) => {
  const schema = document.components.schemas[kind];
  const fields = [...new Set(textFields(schema ?? {}))].filter(
    (path) => !notOurs.test(path) && !areNoSentences.test(path),
  );
  expect(fields).toContain("message");
  const left: string[] = [];
  for (const field of fields) {
    const [first = "", ...rest] = field.split(".");
    const told = withText(rest, hidden);
    for (const value of [told, [told]]) {
      const whole = { ...(kind === "Service" ? { name: "web" } : { metadata: { name: "nightly" } }), [first]: value };
      const api = guarded(() => Response.json(whole));
      const answer = await (kind === "Service" ? api.send(calls.getService) : api.send(calls.getJob)).catch(() => "");
      if (JSON.stringify(answer).includes("hunter2trout")) left.push(field);
    }
  }
  expect([...new Set(left)]).toEqual([]);
});

const env = [{ name: "DB_PASSWORD", value: "correct horse" }];
const crashed = { name: "web", containers: [{ env }], message: "can't log in with correct horse" };

test("a value of a variable isn't repeated, in a list and by itself, and once it is known also where it isn't reported", async () => {
  let isBrief = false;
  const api = guarded((path) => {
    const web = isBrief ? { ...crashed, containers: undefined } : crashed;
    return Response.json(path.endsWith("/web") ? web : { services: [web] });
  });

  const { services } = await api.send(calls.listServices);
  isBrief = true;
  const later = await api.send(calls.getService);

  expect(services[0]?.message).toBe("can't log in with [redacted]");
  expect(later.message).toBe("can't log in with [redacted]");
});

test.each([
  ["is created with", { op: "createService", body: { containers: [{ image: "x", env }] } }],
  ["gets", { op: "updateService", body: { containers: [{ env: { set: env } }] } }],
] as const)("a refusal doesn't repeat a value that a workload %s", async (_how, call) => {
  for (const status of [400, 409]) await expectHidden(call, status);
});

async function expectHidden(call: object, status: number): Promise<void> {
  const api = guarded((path) =>
    path.endsWith("/web") ? Response.json({ message: "no correct horse here" }, { status }) : new Response(""),
  );
  const path = calls.getService.path;
  await api.send({ ...call, path, query: undefined } as never).catch(() => undefined); // calls of these operations

  const refused = await api.send(calls.getService).catch((error: unknown) => error);

  expect(refused).toBeInstanceOf(Problem);
  expect(refused instanceof Problem && refused.message).not.toContain("correct horse");
  expect(refused instanceof Problem && refused.status).toBe(status);
}

test.each([
  ["APP", "checkout"],
  ["REGION", "eu-west-1"],
  ["UPSTREAM", "http://payments.internal:8080/api/v1"],
  ["LEVEL", "information"],
  ["GREETING", "hello world"],
  ["MONKEY", "container"],
  ["KEYCLOAK_URL", "http://keycloak"],
  ["CACHE_KEY", "exited"],
  ["INSTANCE_ID", "3f2a9c1d-5b6e-4f1a-9c2d-0a1b2c3d4e5f"],
  ["GIT_SHA", "9fceb02d0ae5"],
  ["APP_VERSION", "2026.11.26-9fceb02d"],
  ["IMAGE_DIGEST", `sha256:${"9fceb02d0ae598e9".repeat(4)}`],
])("%s=%s makes nothing of a sentence unreadable", async (name, value) => {
  const message = `${value} isn't ready in ${value}`;
  const api = guarded(() => Response.json({ name: "web", containers: [{ env: [{ name, value }] }], message }));

  expect((await api.send(calls.getService)).message).toBe(message);
});

test.each([
  ["DB_PASSWORD", "correct horse"],
  ["APP", "a8f3k2m9x7"],
  ["UPSTREAM", "postgres://shop:opensesame@db/shop"],
  ["GREETING", "S3cret!pw"],
  ["GIT_LOGIN", "a8f3k2m9x7"],
  ["SHARED", "9fceb02d0ae5"],
  ["DB", "shop:opensesame@tcp(db:3306)/shop"],
  ["DB_PW2", "opensesame"],
  ["mysqlPassword", "opensesame"],
])("%s=%s is hidden", async (name, value) => {
  const message = `said ${value.replace(/^postgres:.*:(\w+)@.*$/u, "$1")} to web`;
  const api = guarded(() => Response.json({ name: "web", containers: [{ env: [{ name, value }] }], message }));

  expect((await api.send(calls.getService)).message).toBe("said [redacted] to web");
});

test("what is left of a value is hidden where the end of a sentence was cut", async () => {
  const message = `${"no ".repeat(326)} login with correct horse`;
  const answers = [
    () => Response.json({ ...crashed, message: "can't log in with correct h…" }),
    () => Response.json({ message }, { status: 409 }),
  ];
  const api = guarded(() => answers.shift()?.() ?? new Response(""));

  const { message: told } = await api.send(calls.getService);
  const refused: unknown = await api.send(calls.getService).catch((error: unknown) => error);

  expect(told).toBe("can't log in with [redacted]…");
  expect(refused instanceof Problem && refused.sentence).toMatch(/login with \[redacted\]…/u);
});

test("what a write answers is redacted too, and what is known to be its password", async () => {
  const api = guarded(() => Response.json({ name: "web", message: `${hidden}, or correct horse` }));

  await api.send({ ...calls.createService, body: { containers: [{ image: "x", env }] } });
  const created = await api.send(calls.createService).catch((error: unknown) => error);

  expect(JSON.stringify(created)).toContain("[redacted]");
  expect(JSON.stringify(created)).not.toMatch(/hunter2trout|correct horse/u);
});

test("what the cluster warns of, and what the engine says of a region, is redacted", async () => {
  const clock = stillClock();
  const engine = { title: "Kubernetes", regions: [{ name: "us", problem: hidden }] };
  const headers = warningHeaders([hidden]);
  const send = sendTo(async ({ url }) =>
    url.endsWith("/healthz") ? Response.json({ engine }) : new Response("", { headers }),
  );
  const api = guardedApi(createApi({ baseUrl: "http://service.test", clock, send }), createEnvValues(clock));
  const told: unknown[] = [await api.engine()];

  await api.as(dana).send(calls.restartService, { onWarnings: (warnings) => told.push(...warnings) });

  expect(told).toMatchObject([{ regions: [{ problem: "password=[redacted]" }] }, "password=[redacted]"]);
});
