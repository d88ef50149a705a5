import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { WireChannel, WireFile, WireSnapshot } from "../../wire.ts";
import type { Route } from "./route.ts";
import type { Workspace } from "./workspace.ts";

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
  readonly emoji: (name: string) => string | undefined;
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
