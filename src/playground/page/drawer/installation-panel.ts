import { Fragment, h, type JSX } from "preact";
import type { JsonObject } from "../../json.ts";
import { useApp } from "../app/app-context.ts";
import { Choice } from "../controls/choice.ts";
import { Switch } from "../controls/switch.ts";

/** What the workspace lets the app do. */
export function InstallationPanel({ change }: { readonly change: (body: JsonObject) => void }): JSX.Element {
  const { faults, app } = useApp().snapshot;
  const scopes = Object.fromEntries(app.scopes.map((scope) => [scope, scope]));
  return h(
    Fragment,
    null,
    h(Switch, {
      label: "The token was revoked",
      detail: "Slack refuses everything but answers to commands and clicks.",
      isOn: faults.tokenError !== "",
      onChange: (on) => change({ tokenError: on ? "token_revoked" : "" }),
    }),
    h(Choice, {
      label: "The app lacks a scope",
      value: faults.missingScopes[0] ?? "",
      options: { "": "None", ...scopes },
      onChange: (scope) => change({ missingScopes: scope === "" ? [] : [scope] }),
    }),
    h(Switch, {
      label: "Files can't be uploaded",
      detail: "As where admins turned file uploads off.",
      isOn: faults.refusesUploads,
      onChange: (refusesUploads) => change({ refusesUploads }),
    }),
  );
}
