import { deployShop } from "../pictures/deploys.ts";
import { moment, service, type Shop } from "../pictures/shop.ts";

const ago = (minutes: number): string => new Date(moment - minutes * 60_000).toISOString();

const crashing = service("checkout", {
  status: "Failed",
  ready_instances: 0,
  restarts: { count: 6, first_at: ago(3), last_at: ago(0), last_reason: "exit code 3" },
  restart_count: 6,
  last_state: { reason: "Error", exit_code: 3, finished_at: ago(0) },
});

/** What happens in the tour: checkout crashes, and payments never gets ready with 1.5. */
export function tourShop() {
  const api = deployShop("underWay");
  const before = api.services.get("payments");
  api.services.clear();
  api.jobs.clear();
  const put = (name: string, shown: ReturnType<typeof service>): void => void api.services.set(name, shown);
  put("checkout", service("checkout"));
  if (before !== undefined) put("payments", before);
  put("search", service("search"));
  const fetch: Shop["fetch"] = async (request) => {
    const isWayBack = request.method === "PUT" && (await request.clone().text()).includes('"revision"');
    const answer = await api.fetch(request);
    if (isWayBack && before !== undefined) put("payments", { ...before, revision: 9 });
    return answer;
  };
  const message = "the check at /healthz answers 503: DATABASE_URL is not set";
  return {
    ...api,
    fetch,
    crashes: () => put("checkout", crashing),
    getsStuck() {
      const now = api.services.get("payments");
      if (now?.rollout === undefined || now.rollout === null) throw new Error("nothing is rolled out");
      put("payments", {
        ...now,
        status: "Failed",
        message,
        rollout: { ...now.rollout, state: "stuck", updated: 1, ready: 0, old_ready: 3, message },
      });
    },
  };
}
