import { Fragment, h, type JSX } from "preact";
import type { JsonObject } from "../../json.ts";
import type { WireFaults, WireSockets } from "../../wire.ts";
import { useApp } from "../app/page-state.ts";
import { Switch } from "../controls/controls.ts";

type Change = (body: JsonObject) => void;

/** Which faults of the network and of Socket Mode are on. */
export function connectionFaults({ isNetworkCut, sockets }: WireFaults): readonly boolean[] {
  if (sockets === null) return [isNetworkCut];
  return [isNetworkCut, !sockets.isOn, sockets.isFull, sockets.isMute];
}

/** What happens once, to the connections that are open. */
const events: Readonly<Record<string, string>> = {
  refresh: "Refresh all connections",
  silence: "Let one die silently",
  drop: "Break one off",
};

function Sockets({ sockets, change }: { readonly sockets: WireSockets; readonly change: Change }): JSX.Element {
  return h(
    Fragment,
    null,
    h(Switch, {
      label: "Socket Mode is off",
      detail: "As if somebody turned it off in the app's settings. Gantry's process ends, and this page with it.",
      isOn: !sockets.isOn,
      onChange: (on) => change({ sockets: on ? "off" : "on" }),
    }),
    h(Switch, {
      label: "All ten connections are taken",
      detail: "New connections are refused (too_many_websockets).",
      isOn: sockets.isFull,
      onChange: (on) => change({ sockets: on ? "full" : "free" }),
    }),
    h(Switch, {
      label: "New connections get no hello",
      detail: "They open, and nothing arrives.",
      isOn: sockets.isMute,
      onChange: (on) => change({ sockets: on ? "mute" : "greeted" }),
    }),
    h(OpenConnections, { sockets, change }),
  );
}

/** The connections that are open, and what can happen to them. */
function OpenConnections({ sockets, change }: { readonly sockets: WireSockets; readonly change: Change }): JSX.Element {
  const { open } = sockets;
  const disabled = open.length === 0;
  const count = open.length === 1 ? "1 connection is" : `${open.length} connections are`;
  return h(
    "div",
    { class: "fault-connections row" },
    h(
      "p",
      { role: "status" },
      disabled ? "No connection is open: Slack can't deliver anything." : `${count} open: ${open.join(", ")}`,
    ),
    Object.entries(events).map(([event, label]) =>
      h(
        "button",
        { key: event, type: "button", class: "btn small", disabled, onClick: () => change({ sockets: event }) },
        label,
      ),
    ),
  );
}

/** Faults of the network between Slack and Gantry, and of the app's connections. */
export function ConnectionPanel({ change }: { readonly change: Change }): JSX.Element {
  const { isNetworkCut, sockets } = useApp().snapshot.faults;
  return h(
    Fragment,
    null,
    h(Switch, {
      label: "The network is cut",
      detail: "Nothing arrives on either side, and no connection is closed.",
      isOn: isNetworkCut,
      onChange: (on) => change({ network: on ? "cut" : "whole" }),
    }),
    sockets === null ? null : h(Sockets, { sockets, change }),
  );
}
