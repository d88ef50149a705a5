import type { LastState, Service as ServiceBody } from "../../api/schema.ts";

/** Why a workload is unwell, as an answer holds it; the same for services and jobs. */
export type Unwell = {
  /** Of the containers of all present instances. */
  readonly restartCount?: number | undefined;
  /** How a container last ended although it should have run on. */
  readonly lastState?: LastState | undefined;
  /** Why the workload isn't running as it should, as a clause or sentence. */
  readonly message?: string | undefined;
};

export function unwellFields(unwell: Unwell): Pick<ServiceBody, "restart_count" | "last_state" | "message"> {
  const { restartCount, lastState, message } = unwell;
  return {
    ...(restartCount !== undefined && { restart_count: restartCount }),
    ...(lastState !== undefined && { last_state: lastState }),
    ...(message !== undefined && { message }),
  };
}
