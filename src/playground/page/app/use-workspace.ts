import { useEffect, useState } from "preact/hooks";
import type { WireUpdate } from "../../live/wire.ts";
import { applyUpdate, emptyWorkspace, type Workspace } from "./workspace.ts";

export type Connection = "connecting" | "live" | "lost" | "refused";

type Live = { readonly as: string; readonly workspace: Workspace; readonly connection: Connection };

/** The workspace as one person sees it, kept up to date by server-sent events. */
export function useWorkspace(as: string): Live {
  const [live, setLive] = useState<Live>({ as, workspace: emptyWorkspace, connection: "connecting" });
  useEffect(() => {
    setLive({ as, workspace: emptyWorkspace, connection: "connecting" });
    const source = new EventSource(`/playground/events?as=${encodeURIComponent(as)}`);
    source.addEventListener("message", (event: MessageEvent<string>) => {
      const update = JSON.parse(event.data) as WireUpdate; // the playground sends nothing else here
      setLive((before) => ({ as, workspace: applyUpdate(before.workspace, update), connection: "live" }));
    });
    source.addEventListener("error", () => {
      // A browser reconnects by itself, unless the answer was a refusal: unknown person.
      const connection = source.readyState === EventSource.CLOSED ? "refused" : "lost";
      setLive((before) => ({ ...before, connection }));
    });
    return () => source.close();
  }, [as]);
  // While switching to another person, don't show the previous one's data.
  return live.as === as ? live : { as, workspace: emptyWorkspace, connection: "connecting" };
}
