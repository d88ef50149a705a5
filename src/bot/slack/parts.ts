import type { Store } from "../store/store.ts";
import type { Installations, WorkflowParts } from "../workflow/ports.ts";
import type { OpenViews } from "./modals/update-view.ts";
import type { Repeats } from "./receive/delivery-memory.ts";
import type { Messenger } from "./send/messenger.ts";

/** What everything that handles Slack's deliveries of one workspace works with. */
export type WorkspaceParts = WorkflowParts & {
  readonly installations: Installations;
  readonly messenger: Messenger;
  readonly openViews: OpenViews;
  readonly repeats: Repeats;
  readonly store: Pick<Store, "setRegion">;
};
