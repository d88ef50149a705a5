import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { engines, engineVariables } from "../../../service/engines.ts";
import type { EnvChanges } from "./env-file.ts";
import { askFor, askWhich, type Known } from "./asker.ts";
import { type Api, type ApiAccount, createApi } from "../../../api/client.ts";
import { sendTo } from "../../../platform/http/send.ts";
import { Problem, refusesAccount } from "../../../api/problem.ts";
import { broken, type Judged, ok, counted } from "../../health/finding.ts";
import type { Network } from "../../../platform/http/network.ts";
import { openLocalService } from "../stand-ins/local-service.ts";
import type { Config, EmbeddedService } from "../config.ts";
import { machineClock } from "../../../platform/clock.ts";

/** The engines that it offers, and the variables that their options set. */
const offered = engines.flatMap(({ name, setup }) =>
  setup === undefined
    ? []
    : [{ name, ...setup, variables: Object.values(setup.options).map(({ variable }) => variable) }],
);

type Steps = Known & { readonly workloads: string | undefined; readonly areManyWorkspaces: boolean };

/** Where the containers run. */
export async function workloadSteps(steps: Steps): Promise<EnvChanges> {
  const kind = steps.areManyWorkspaces ? "api" : await kindOf(steps);
  const none = {
    WORKLOAD_API_URL: undefined,
    WORKLOAD_API_USERNAME: undefined,
    WORKLOAD_API_TOKEN: undefined,
    SERVICE_ENGINE: undefined,
    // Of these, another engine would refuse those that are its own.
    ...Object.fromEntries(
      offered.flatMap(({ variables }) =>
        variables.filter((name) => engineVariables[name]?.elsewhere !== undefined).map((name) => [name, undefined]),
      ),
    ),
    GANTRY_EMBEDDED_SERVICE_WITH_SLACK: undefined,
  };
  return { ...none, ...(await answersFor(kind, steps)) };
}

async function answersFor(kind: string, steps: Steps): Promise<EnvChanges> {
  if (kind === "api") return apiAnswers(steps);
  const engine = offered.find(({ name }) => name === kind);
  if (engine === undefined) return { GANTRY_EMBEDDED_SERVICE_WITH_SLACK: "allow" };
  const { given, set } = steps;
  const values = engine.variables.map((name): [string, string | undefined] => [name, given[name] ?? set[name]]);
  return { SERVICE_ENGINE: engine.name, ...Object.fromEntries(values) };
}

function kindOf({ asker, workloads, given, set }: Steps): Promise<string> {
  return askWhich(asker, workloads ?? kindIn(given), {
    flag: "workloads",
    message: "Where do your containers run?",
    current: kindIn(set),
    options: [
      { value: "api", label: "Behind a workload API", hint: "an address and an account" },
      ...offered.map(({ name, label, hint }) => ({ value: name, label, ...(hint !== undefined && { hint }) })),
      { value: "demo", label: "Nowhere yet: demo programs", hint: "people in Slack start processes on this machine" },
    ],
  });
}

function kindIn(from: EnvChanges): string | undefined {
  if (from["WORKLOAD_API_URL"] !== undefined) return "api";
  const engine = offered.find(({ name }) => name === from["SERVICE_ENGINE"]);
  if (engine !== undefined) return engine.name;
  return from["GANTRY_EMBEDDED_SERVICE_WITH_SLACK"] === "allow" ? "demo" : undefined;
}

/** Several workspaces connect an account each, in Slack. */
async function apiAnswers(steps: Steps): Promise<EnvChanges> {
  const address = { WORKLOAD_API_URL: await askFor(steps, "WORKLOAD_API_URL") };
  if (steps.areManyWorkspaces) return address;
  return {
    ...address,
    WORKLOAD_API_USERNAME: await askFor(steps, "WORKLOAD_API_USERNAME"),
    WORKLOAD_API_TOKEN: await askFor(steps, "WORKLOAD_API_TOKEN"),
    WORKLOAD_REGION: await askFor(steps, "WORKLOAD_REGION", "beijing1"),
  };
}

/** A person waits. */
const WITHIN_MS = 10_000;

/** Lists services as the bot will do. Never rejects. */
export async function tryList({ service, settings }: Config, network: Network): Promise<Judged> {
  if (service.kind === "embedded") return listInside(service);
  const { url, account } = service;
  if (account === undefined) return ok("Each workspace connects its own account of the workload API");
  const api = createApi({ baseUrl: url, send: network.send });
  return list(api, { account, regions: [settings.region], of: new URL(url).host });
}

/** With a folder of its own, so that a running Gantry isn't disturbed. */
async function listInside(config: EmbeddedService): Promise<Judged> {
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-setup-"));
  try {
    const local = await openLocalService({ config, dataDir, log: pino({ level: "silent" }), clock: machineClock });
    try {
      const regions = local.about().regions.filter((each) => each.services);
      const api = createApi({ baseUrl: local.baseUrl, send: sendTo(local.fetch) });
      const names = regions.map(({ name }) => name);
      return await list(api, { account: local.account, regions: names, of: config.engine.descriptor.says.place });
    } finally {
      await local.close();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return broken(
      `${config.engine.descriptor.says.place} can't be used: ${withoutPeriod(why)}`,
      "Correct it, then try again.",
    );
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type What = { readonly account: ApiAccount; readonly regions: readonly string[]; readonly of: string };

async function list(api: Api, { account, regions, of }: What): Promise<Judged> {
  try {
    const lists = await Promise.all(
      regions.map((region) =>
        api
          .as(account)
          .send({ op: "listServices", path: { region }, query: undefined, body: undefined }, { budgetMs: WITHIN_MS }),
      ),
    );
    const count = lists.reduce((sum, { services }) => sum + services.length, 0);
    return ok(`${of} lists ${counted(count, "service")} in ${regions.join(", ")}`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const todo = refusesAccount(error)
      ? "Check the username and the token."
      : "Check the address, the region and the network.";
    return broken(`${of} couldn't list services: ${withoutPeriod(error.sentence)}`, todo);
  }
}

function withoutPeriod(text: string): string {
  return text.trim().replace(/\.$/u, "");
}
