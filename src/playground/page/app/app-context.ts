import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { WireChannel, WireFile, WireSnapshot } from "../../live/wire.ts";
import type { Route } from "./route.ts";
import type { Workspace } from "./workspace.ts";

/** What all parts of the page share. */
export type AppState = {
  readonly workspace: Workspace;
  readonly snapshot: WireSnapshot;
  readonly channel: WireChannel;
  readonly route: Route;
  readonly now: number;
  readonly go: (route: Route) => void;
  /** Shows a sentence for a while, and reads it aloud. */
  readonly notify: (text: string) => void;
  /** Waits for something; what goes wrong is told. */
  readonly attempt: (work: Promise<unknown>) => void;
  readonly emoji: (name: string) => string | undefined;
  readonly openFile: (file: WireFile | string) => void;
  /** Puts words into the composer of the channel. */
  readonly draft: (text: string) => void;
};

export const AppContext = createContext<AppState | undefined>(undefined);

export function useApp(): AppState {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error("a part of the page stands outside of it");
  return app;
}
