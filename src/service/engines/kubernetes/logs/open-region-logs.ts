import { recordEndsOf } from "../ends/record-ends.ts";
import type { KubernetesParts, Region } from "../region.ts";
import { startLogCollector } from "./log-collector.ts";
import { lokiLogs } from "./loki.ts";
import type { RegionLogs } from "./region-logs.ts";
import { storedLogs } from "./stored-logs.ts";

export type OpenedLogs = {
  /** Of a configured region. */
  readonly logsOf: (region: string) => RegionLogs;
  /** Stops collecting, so that another replica goes on. */
  readonly close: () => Promise<void>;
};

/** The logs of each region: collected into the log store, or read from the region's Loki. */
export function openRegionLogs({ regions, logs, now, onEvent }: KubernetesParts): OpenedLogs {
  /** Nobody holds a lease there, so each replica does it: what another one has written isn't written again. */
  const recording = (region: Region): OpenedLogs["close"] => {
    const closing = new AbortController();
    const over = recordEndsOf({ region, onEvent }, closing.signal);
    return async () => {
      closing.abort();
      await over;
    };
  };
  const opened = [...regions].map(([name, region]) => {
    if (region.config.logs) return { name, logs: lokiLogs(region.config.logs.loki, now), close: recording(region) };
    const collector = startLogCollector({ region, logs, now, onEvent });
    return { name, logs: storedLogs({ logs, now, problem: collector.problem }), close: collector.close };
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
