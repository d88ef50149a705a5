import { h, type JSX, render } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Conversation } from "../channels/conversation.ts";
import { FilePane, ThreadPane } from "../messages/panes.ts";
import { FormElsewhere, isElsewhere, ModalWindow } from "../surfaces/modal-window.ts";
import {
  windowSession,
  AppContext,
  type AppState,
  type Connection,
  type Panel,
  panelTitles,
  type Panes,
  useApp,
  usePanes,
  useRoute,
  useWorkspace,
} from "./page-state.ts";
import { firstRoute, routeChannel, userOf } from "./workspace.ts";
import { Sidebar } from "../channels/sidebar.ts";
import { Avatar, Icon, IconButton, type IconName, PaneHead, useFocusReturn } from "../controls/controls.ts";
import { faultCount, FaultPanel } from "../drawer/fault-panel.ts";
import { NetworkLog } from "../drawer/network-log.ts";

/** Milliseconds since 1970, refreshed often enough for "Today" and "3 minutes ago". */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

const connectionWords: Readonly<Record<Connection, string>> = {
  connecting: "Opening the workspace…",
  live: "",
  lost: "The playground isn't running. This page reconnects when you start it again.",
  refused: "Nobody here has that name. Choose dana, alex, omar or gwen.",
};

/** Escape closes the frontmost pane: the file, the thread, the drawer. Menus and modals handle it themselves. */
function useEscape(app: AppState | undefined, panes: Panes): void {
  // In a layout effect: a second Escape may come before the browser has painted the first change.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented || app === undefined) return;
      if (panes.isListOpen) panes.setListOpen(false);
      else if (panes.file !== undefined) panes.setFile(undefined);
      else if (app.route.thread !== undefined) app.go({ as: app.route.as, in: app.route.in });
      else panes.setPanel(undefined);
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  });
}

function Workspace({ app, panes }: { readonly app: AppState; readonly panes: Panes }): JSX.Element {
  const { panel, file, isListOpen } = panes;
  const { thread } = app.route;
  const { modal } = app.snapshot;
  const [isTaken, setTaken] = useState(false);
  useEffect(() => {
    if (modal === null) setTaken(false);
  }, [modal === null]);
  const isAway = modal !== null && !isTaken && isElsewhere(modal, windowSession());
  const side =
    file !== undefined
      ? h(FilePane, { file, onClose: () => panes.setFile(undefined) })
      : thread === undefined
        ? null
        : h(ThreadPane, { ts: thread });
  return h(
    AppContext.Provider,
    { value: app },
    h(TopBar, {
      panel,
      isListOpen,
      onPanel: (next) => panes.setPanel(next === panel ? undefined : next),
      onList: () => panes.setListOpen(!isListOpen),
    }),
    modal !== null && isAway ? h(FormElsewhere, { view: modal, onShow: () => setTaken(true) }) : null,
    h(
      "div",
      { class: side === null ? "columns" : "columns with-side" },
      h(Sidebar, { isOpen: isListOpen, onGo: () => panes.setListOpen(false) }),
      h("main", { class: "stage" }, h(Conversation, { draft: panes.draft }), side),
    ),
    panel === undefined ? null : h(Drawer, { panel, onClose: () => panes.setPanel(undefined) }),
    modal === null || isAway ? null : h(ModalWindow, { view: modal }),
  );
}

function App(): JSX.Element {
  const [route, go] = useRoute();
  const { workspace, connection } = useWorkspace(route.as);
  const { toasts, notify, drop } = useToasts();
  const panes = usePanes();
  const now = useNow();
  const [attempt] = useState(() => (work: Promise<unknown>) => {
    work.catch((error: unknown) => notify(error instanceof Error ? error.message : String(error)));
  });
  useEffect(() => {
    if (connection === "refused") go(firstRoute);
  }, [connection]);
  const { snapshot } = workspace;
  const channel = snapshot === undefined ? undefined : routeChannel(snapshot, route);
  const name = route.in.startsWith("@") ? route.in : `#${route.in}`;
  useEffect(() => {
    document.title = snapshot === undefined ? "Playground" : `${name} – Playground`;
  }, [name, snapshot === undefined]);
  const words = connectionWords[connection];
  const { setFile: openFile, putDraft: draft } = panes;
  const shared = { workspace, route, now, go, notify, attempt, openFile, draft };
  const app = snapshot === undefined || channel === undefined ? undefined : { ...shared, snapshot, channel };
  useEscape(app, panes);
  return h(
    "div",
    { class: "app column" },
    h("p", { class: words === "" ? "connection hidden" : "connection", role: "status" }, words),
    app === undefined ? null : h(Workspace, { app, panes }),
    h(ToastList, { toasts, drop }),
  );
}

type Toast = { readonly id: number; readonly text: string };

const shownMs = 8000;

function useToasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const last = useRef(0);
  const drop = useCallback((id: number) => setToasts((before) => before.filter((toast) => toast.id !== id)), []);
  const notify = useCallback((text: string) => {
    const id = (last.current += 1);
    setToasts((before) => [...before.filter((toast) => toast.text !== text), { id, text }]);
    setTimeout(() => drop(id), shownMs);
  }, []);
  return { toasts, notify, drop };
}

/** Screen readers announce toasts as they appear. */
function ToastList({ toasts, drop }: Pick<ReturnType<typeof useToasts>, "toasts" | "drop">): JSX.Element {
  return h(
    "div",
    { class: "toasts", role: "status", "aria-live": "polite" },
    toasts.map(({ id, text }) =>
      h(
        "div",
        { key: id, class: "toast above" },
        h("p", null, text),
        h(IconButton, { icon: "close", label: "Dismiss", onClick: () => drop(id) }),
      ),
    ),
  );
}

function PanelButton(props: {
  readonly icon: IconName;
  readonly label: string;
  /** The rest of the button's label: "2 refused". */
  readonly badge: string;
  readonly isOpen: boolean;
  readonly onClick: () => void;
}): JSX.Element {
  const { icon, label, badge, isOpen, onClick } = props;
  return h(
    "button",
    {
      type: "button",
      class: "panel-button row muted bare",
      "aria-expanded": isOpen,
      "aria-controls": "drawer",
      onClick,
    },
    h(Icon, { name: icon }),
    h("span", { class: "panel-label" }, label),
    badge === "" ? null : h("span", { class: "badge" }, badge),
  );
}

function ListButton({ isOpen, onClick }: { readonly isOpen: boolean; readonly onClick: () => void }): JSX.Element {
  const label = "Channels and people";
  const opens = { "aria-expanded": isOpen, "aria-controls": "sidebar" };
  return h(
    "button",
    { type: "button", class: "icon-button bare list-button", "aria-label": label, title: label, ...opens, onClick },
    h(Icon, { name: "menu" }),
  );
}

/** The current person, shown where the sidebar is hidden. */
function You(): JSX.Element | null {
  const { snapshot } = useApp();
  const you = userOf(snapshot, snapshot.you);
  if (you === undefined) return null;
  return h("span", { class: "top-you" }, h(Avatar, { user: you, size: "small" }), h("span", null, you.name));
}

/** The workspace, the current person, and the buttons of the drawer. */
function TopBar(props: {
  readonly panel: Panel | undefined;
  readonly isListOpen: boolean;
  readonly onPanel: (panel: Panel) => void;
  readonly onList: () => void;
}): JSX.Element {
  const { panel, isListOpen, onPanel, onList } = props;
  const { snapshot, workspace } = useApp();
  const refused = workspace.exchanges.filter((each) => each.refusal !== null).length;
  const count = faultCount(snapshot);
  const button = (name: Panel, icon: IconName, badge: string): JSX.Element =>
    h(PanelButton, { icon, label: panelTitles[name], badge, isOpen: panel === name, onClick: () => onPanel(name) });
  return h(
    "header",
    { class: "top-bar row" },
    h(ListButton, { isOpen: isListOpen, onClick: onList }),
    h("h1", null, snapshot.team),
    h("span", { class: "top-note fill cut muted" }, "a simulated Slack on your machine"),
    h(You, {}),
    button("inspector", "pulse", refused === 0 ? "" : `${refused} refused`),
    button("faults", "warning", count === 0 ? "" : `${count} on`),
  );
}

/** The drawer below the conversation. Escape closes it. */
function Drawer({ panel, onClose }: { readonly panel: Panel; readonly onClose: () => void }): JSX.Element {
  const drawer = useFocusReturn();
  return h(
    "section",
    { ref: drawer, class: "drawer column", id: "drawer", "aria-label": panelTitles[panel] },
    h(PaneHead, { title: panelTitles[panel], detail: "", onClose }),
    panel === "inspector" ? h(NetworkLog, {}) : h(FaultPanel, {}),
  );
}

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
render(h(App, {}), root);
