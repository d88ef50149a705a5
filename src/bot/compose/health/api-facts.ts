import { performance } from "node:perf_hooks";
import type { Api, ApiAccount } from "../../../api/client.ts";
import { Problem } from "../../../api/problem.ts";
import type { Settings } from "../../commands/command.ts";
import type { ApiFacts } from "../../health/facts.ts";

type Asking = {
  readonly api: Pick<Api, "as" | "engine">;
  readonly account: ApiAccount;
  readonly settings: Pick<Settings, "region" | "serviceUrl">;
  readonly calls: { readonly count: number; readonly perDay: number | undefined };
};

const WITHIN_MS = 4_000;

/** One read with the workspace's account, and the engine if the workload API tells about it. Never rejects. */
export async function askApi({ api, account, settings, calls }: Asking): Promise<ApiFacts> {
  const { region, serviceUrl } = settings;
  const [answer, engine] = await Promise.all([read({ api, account }, region), api.engine()]);
  return { kind: "asked", host: hostOf(serviceUrl), account: account.username, region, answer, calls, engine };
}

type Answer = Extract<ApiFacts, { readonly kind: "asked" }>["answer"];

async function read({ api, account }: Pick<Asking, "api" | "account">, region: string): Promise<Answer> {
  const began = performance.now();
  try {
    await api
      .as(account)
      .send({ op: "listServices", path: { region }, query: undefined, body: undefined }, { budgetMs: WITHIN_MS });
    return { ok: true, ms: Math.round(performance.now() - began) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const isAccountRefused = error.status === 401 || error.status === 403;
    return { ok: false, says: error.sentence.replace(/\.$/u, ""), isAccountRefused };
  }
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "The built-in workload API";
}
