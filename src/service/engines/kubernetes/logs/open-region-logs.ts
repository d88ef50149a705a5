import { dayOf } from "../../../workloads/logs/log-writer.ts";
import { recordEndsOf } from "../write/record-job-failures.ts";
import type { KubernetesParts, Region } from "../regions.ts";
import { collectedUntil, wasCollectedOn, logKey, storedLogs } from "./stored-logs.ts";
import { livePage } from "./live-logs.ts";
import { type LogCollector, startLogCollector } from "./log-collector.ts";
import type { OtherCollector } from "./log-lease.ts";
import { lokiLogs } from "./loki.ts";
import { unreadPods } from "./read-marks.ts";
import { type RegionLogs, speakerOf, withNotes } from "./region-logs.ts";

type OpenedLogs = {
  /** Of a configured region. */
  readonly logsOf: (region: string) => RegionLogs;
  /** Stops collecting, so that another replica goes on. */
  readonly close: () => Promise<void>;
};

/** The logs of each region: collected into the log store, read from the region's Loki, or live from Kubernetes. */
export function openRegionLogs({ regions, logs, clock, onEvent }: KubernetesParts): OpenedLogs {
  /** Nobody holds a lease there, so each replica does it: what another one has written isn't written again. */
  const recording = (region: Region): OpenedLogs["close"] => {
    const closing = new AbortController();
    const over = recordEndsOf({ region, clock, onEvent }, closing.signal);
    return async () => {
      closing.abort();
      await over;
    };
  };
  const opened = [...regions].map(([name, region]) => {
    const where = region.config.logs;
    if (where === "live") return { name, logs: liveLogs({ region, clock }), close: recording(region) };
    if (where) return { name, logs: lokiLogs(where.loki, clock), close: recording(region) };
    const collector = startLogCollector({ region, logs, clock, onEvent });
    return { name, logs: collectedLogs({ region, logs, clock, collector }), close: collector.close };
  });
  const byName = new Map(opened.map((each) => [each.name, each.logs]));
  return {
    logsOf(region) {
      const found = byName.get(region);
      if (!found) throw new Error(`region ${region} isn't configured`);
      return found;
    },
    close: async () => void (await Promise.all(opened.map(({ close }) => close()))),
  };
}

type RegionParts = Pick<KubernetesParts, "clock"> & { readonly region: Pick<Region, "api" | "cacheOf"> };

function liveLogs(parts: RegionParts): RegionLogs {
  const why = "this log is read live from Kubernetes";
  return {
    page: (workload, options) => livePage(parts, workload, { ...options, why }),
    // Pods that are gone left nothing here.
    hasInstance: async () => false,
    instances: async () => [],
  };
}

type CollectedParts = RegionParts &
  Pick<KubernetesParts, "logs"> & {
    readonly collector: Pick<LogCollector, "problem" | "elsewhere" | "holder" | "catchUp">;
  };

/**
 * Logs of the own store, while a replica that shares it collects. What a Gantry with another store collects is out of
 * reach, so Kubernetes is asked for what it still has.
 */
export function collectedLogs({ region, logs, clock, collector }: CollectedParts): RegionLogs {
  const stored = storedLogs({
    logs,
    clock,
    problem: collector.problem,
    unreadPods: (workload, page) => unreadPods({ region, logs, clock, collector: collector.holder }, workload, page),
  });
  return {
    ...stored,
    async page(workload, options) {
      const other = await collector.elsewhere();
      const { day } = options;
      const isOver = day < dayOf(clock.now());
      if (!other) {
        if (!isOver) await collector.catchUp(logKey(workload));
        return await stored.page(workload, options);
      }
      if (!isOver || !(await wasCollectedOn(logs, workload, day))) {
        return await livePage({ region, clock }, workload, { ...options, why: `${sentenceOf(other)}, ${LIVE}` });
      }
      const until = await collectedUntil(logs, workload);
      const isWhole = until === undefined || dayOf(until) > day;
      const notes = isWhole
        ? []
        : [`${sentenceOf(other)}: lines after ${until.toISOString().slice(11, 19)}Z are missing here`];
      const speaker = options.instance ?? speakerOf(workload);
      return await withNotes({ ...options, speaker, notes }, (from, size) =>
        stored.page(workload, { ...options, from, size }),
      );
    },
  };
}

const LIVE = "so it is read live from Kubernetes";

function sentenceOf({ host, isAlive }: OtherCollector): string {
  if (isAlive) return `Gantry on ${host ?? "another host"} collects this log into a store of its own`;
  const who = host === undefined ? "another Gantry" : `Gantry on ${host}`;
  return `${who} collected this log into a store of its own and has stopped`;
}
