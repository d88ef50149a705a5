import { h, type JSX } from "preact";
import { IconButton, useFocusReturn } from "../controls/controls.ts";
import { NetworkLog } from "./network-log.ts";
import { FaultPanel } from "./fault-panel.ts";

export type Panel = "inspector" | "faults";

export const panelTitles: Readonly<Record<Panel, string>> = { inspector: "Inspector", faults: "Trouble" };

/** The drawer below the conversation. Escape closes it. */
export function Drawer({ panel, onClose }: { readonly panel: Panel; readonly onClose: () => void }): JSX.Element {
  const drawer = useFocusReturn();
  return h(
    "section",
    { ref: drawer, class: "drawer", id: "drawer", "aria-label": panelTitles[panel] },
    h(
      "header",
      { class: "pane-head" },
      h("h2", null, panelTitles[panel]),
      h("span", { class: "pane-detail" }, ""),
      h(IconButton, { icon: "close", label: `Close ${panelTitles[panel].toLowerCase()}`, onClick: onClose }),
    ),
    panel === "inspector" ? h(NetworkLog, {}) : h(FaultPanel, {}),
  );
}
