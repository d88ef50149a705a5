import { Fragment, h, type JSX } from "preact";
import { perform } from "../app/request.ts";
import { useApp } from "../app/app-context.ts";
import { Switch } from "../controls/switch.ts";

/** What admins do with an app that workspaces install themselves. */
export function InstallButtons(): JSX.Element | null {
  const { snapshot, attempt } = useApp();
  const { install, app, team } = snapshot;
  if (install === null) return null;
  const change = (what: string): void => attempt(perform("installs", { do: what }));
  const button = (label: string, what: string): JSX.Element =>
    h("button", { type: "button", class: "btn", disabled: !install.isInstalled, onClick: () => change(what) }, label);
  return h(
    Fragment,
    null,
    install.org === null
      ? null
      : h(Switch, {
          label: `${install.org} adds ${app.name} to ${team}`,
          detail: "An organization's app works in the workspaces that its admins add it to.",
          isOn: install.isInstalled,
          onChange: (on) => change(on ? "addTo" : "removeFrom"),
        }),
    h(
      "p",
      { class: "fault-buttons" },
      button(`Remove ${app.name}`, "uninstall"),
      button("Revoke its token permanently", "revokeTokens"),
    ),
  );
}
