import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { type Api, type ApiAccount, createApi } from "../../../api/client.ts";
import { Problem } from "../../../api/problem.ts";
import { broken, type Judged, ok } from "../../health/finding.ts";
import { counted } from "../../health/words.ts";
import type { Network } from "../../../platform/http/network.ts";
import { openLocalService } from "../stand-ins/local-service.ts";
import type { Config, EmbeddedService } from "../config.ts";

/** A person waits. */
const WITHIN_MS = 10_000;

/** Lists services as the bot will do. Never rejects. */
export async function tryList({ service, settings }: Config, network: Network): Promise<Judged> {
  if (service.kind === "embedded") return listInside(service);
  const { url, account } = service;
  if (account === undefined) return ok("Each workspace connects its own account of the workload API");
  const api = createApi({ baseUrl: url, fetch: network.fetch });
  return list(api, { account, regions: [settings.region], of: new URL(url).host });
}

/** With a folder of its own, so that a running Gantry isn't disturbed. */
async function listInside(config: EmbeddedService): Promise<Judged> {
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-setup-"));
  try {
    const local = await openLocalService({ config, dataDir, log: pino({ level: "silent" }) });
    try {
      const regions = local.about().regions.filter((each) => each.services);
      const api = createApi({ baseUrl: local.baseUrl, fetch: local.fetch });
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
    const isAccount = error.status === 401 || error.status === 403;
    const todo = isAccount ? "Check the username and the token." : "Check the address, the region and the network.";
    return broken(`${of} couldn't list services: ${withoutPeriod(error.sentence)}`, todo);
  }
}

function withoutPeriod(text: string): string {
  return text.trim().replace(/\.$/u, "");
}
