import { parseRoute, applyUpdate, emptyWorkspace, formatRoute, type Route, type Workspace } from "./workspace.ts";
import { isObject, type JsonObject, textOf } from "../../json.ts";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";
import type { WireChannel, WireFile, WireSnapshot, WireUpdate } from "../../wire.ts";
import { createContext } from "preact";

const sessionKey = "playground-session";

/** The id of this window, also after a reload: forms open in the window where the person acted, as in Slack. */
export function windowSession(): string {
  const known = sessionStorage.getItem(sessionKey);
  if (known !== null) return known;
  // Not crypto.randomUUID, which pages on plain http addresses other than localhost don't have.
  const made = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
  sessionStorage.setItem(sessionKey, made);
  return made;
}

/** Of several workspaces, a request is about the one of the person in the address. */
function personHere(): string {
  return parseRoute(location.search).as;
}

async function read(answer: Response): Promise<JsonObject> {
  const body: unknown = await answer.json().catch(() => undefined);
  const json = isObject(body) ? body : {};
  if (answer.ok) return json;
  throw new Error(
    textOf(json["error"]) || `The playground failed with status ${answer.status}. Nothing may have changed. Try again.`,
  );
}

function unreachable(): never {
  throw new Error("The playground isn't running. Start it with: npm start");
}

/** Performs an action in the workspace: "say", "act", "submit" … Throws an Error with the sentence of the refusal. */
export async function perform(action: string, body: JsonObject): Promise<JsonObject> {
  const headers = { "content-type": "application/json", "x-session": windowSession(), "x-as": personHere() };
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  return read(await fetch(`/playground/do/${action}`, request).catch(unreachable));
}

/** The bodies of an exchange. */
export async function exchangeBodies(id: number): Promise<JsonObject> {
  return read(await fetch(`/playground/exchanges/${id}`, { headers: { "x-as": personHere() } }).catch(unreachable));
}

export async function fileText(id: string): Promise<string> {
  const answer = await fetch(`/files/${encodeURIComponent(id)}`).catch(unreachable);
  if (!answer.ok) throw new Error("This file no longer exists.");
  return answer.text();
}

/** State and actions shared by all parts of the page. */
export type AppState = {
  readonly workspace: Workspace;
  readonly snapshot: WireSnapshot;
  readonly channel: WireChannel;
  readonly route: Route;
  readonly now: number;
  readonly go: (route: Route) => void;
  /** Shows a toast, which screen readers announce. */
  readonly notify: (text: string) => void;
  /** Awaits a promise and shows its error as a toast. */
  readonly attempt: (work: Promise<unknown>) => void;
  readonly openFile: (file: WireFile) => void;
  /** Puts text into the channel's composer. */
  readonly draft: (text: string) => void;
};

export const AppContext = createContext<AppState | undefined>(undefined);

export function useApp(): AppState {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error("useApp is called outside of AppContext");
  return app;
}

/** Text put into the composer from outside: a new object each time, even for the same text. */
export type Draft = { readonly text: string };

/** What the drawer shows. */
export type Panel = "inspector" | "faults";

export const panelTitles: Readonly<Record<Panel, string>> = { inspector: "Inspector", faults: "Trouble" };

/** The route in the address bar; changing it adds a history entry. */
export function useRoute(): readonly [Route, (route: Route) => void] {
  const [route, setRoute] = useState(() => parseRoute(location.search));
  useEffect(() => {
    const onPop = (): void => setRoute(parseRoute(location.search));
    addEventListener("popstate", onPop);
    return () => removeEventListener("popstate", onPop);
  }, []);
  const go = useCallback((next: Route) => {
    if (formatRoute(next) !== location.search) history.pushState(null, "", formatRoute(next));
    setRoute(next);
  }, []);
  return [route, go];
}

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

const key = "playground-panel";

export type Panes = ReturnType<typeof usePanes>;

/** The open panes beside the conversation. They have no address of their own. */
export function usePanes() {
  // The drawer stays open across reloads of this window.
  const [panel, setPanel] = useState<Panel | undefined>(() => {
    const stored = sessionStorage.getItem(key);
    return stored === "inspector" || stored === "faults" ? stored : undefined;
  });
  const [file, setFile] = useState<WireFile | undefined>(undefined);
  // The sidebar, on narrow screens.
  const [isListOpen, setListOpen] = useState(false);
  const [draft, setDraft] = useState<Draft | undefined>(undefined);
  useEffect(() => sessionStorage.setItem(key, panel ?? ""), [panel]);
  const putDraft = useCallback((text: string) => setDraft({ text }), []);
  return { panel, setPanel, file, setFile, isListOpen, setListOpen, draft, putDraft };
}
