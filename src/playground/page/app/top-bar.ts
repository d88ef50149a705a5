import { h, type JSX } from "preact";
import { type Panel, panelTitles } from "../drawer/drawer.ts";
import { Avatar, Icon, type IconName } from "../controls/controls.ts";
import { useApp } from "./app-context.ts";
import { faultCount } from "../drawer/fault-panel.ts";
import { userOf } from "./workspace.ts";

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
    { type: "button", class: "panel-button", "aria-expanded": isOpen, "aria-controls": "drawer", onClick },
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
    { type: "button", class: "icon-button list-button", "aria-label": label, title: label, ...opens, onClick },
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
export function TopBar(props: {
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
    { class: "top-bar" },
    h(ListButton, { isOpen: isListOpen, onClick: onList }),
    h("h1", null, snapshot.team),
    h("span", { class: "top-note" }, "a simulated Slack on your machine"),
    h(You, {}),
    button("inspector", "pulse", refused === 0 ? "" : `${refused} refused`),
    button("faults", "warning", count === 0 ? "" : `${count} on`),
  );
}
