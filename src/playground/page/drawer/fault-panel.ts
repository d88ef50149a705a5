import { Fragment, h, type JSX } from "preact";
import { useState } from "preact/hooks";
import type { JsonObject } from "../../json.ts";
import type { WireFaults, WireSnapshot } from "../../wire.ts";
import { ChannelPanel, InstallButtons, PeoplePanel } from "./admin-panel.ts";
import { perform, useApp } from "../app/page-state.ts";
import { Choice, Switch } from "../controls/controls.ts";
import { LeftOut } from "./left-out.ts";

const slowSlackMs = 2000;
/**
 * Bots accept signatures of the last five minutes: https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
const oldSignatureSeconds = 600;

const longRetryAfterSeconds = 600;

const answers: Readonly<Record<WireFaults["answers"], string>> = {
  "": "Normally",
  "429": "Error 429: too many requests",
  "500": "Error 500, nothing done",
  "503": "Error 503, nothing done",
  cut: "Not: the connection breaks off, nothing done",
  lost: "Error 500, but done",
  late: "After 10 s, but done at once",
  slow: "After 10 s, and done only then",
  hang: "Never",
  garbage: "With an HTML page instead of JSON",
  blocks: "Error: invalid blocks",
  plans: "Error: invalid blocks, for plans",
};

const answered: Readonly<Record<string, string>> = {
  all: "All requests",
  "chat.postMessage": "chat.postMessage (new messages)",
  "chat.update": "chat.update (changed messages)",
  "chat.postEphemeral": "chat.postEphemeral (only visible to you)",
  response_url: "response_url (answers to commands)",
  "apps.connections.open": "apps.connections.open (Socket Mode)",
  "views.open": "views.open (forms)",
  "views.update": "views.update (filled forms)",
  "views.publish": "views.publish (Home)",
  "users.info": "users.info (people)",
};

type Change = (body: JsonObject) => void;

type FaultSwitch = {
  readonly label: string;
  readonly detail?: string;
  readonly isOn: boolean;
  readonly set: (on: boolean) => JsonObject;
};

/** Slack's requests and answers: delay, repetition and, over HTTP, the signature. */
function deliveryFaults(faults: WireFaults): readonly FaultSwitch[] {
  const signatures = [
    {
      label: "Wrong signature",
      detail: "Requests aren't signed by Slack. Gantry must refuse them.",
      isOn: faults.signsWrongly,
      set: (on: boolean) => ({ signsWrongly: on }),
    },
    {
      label: "Old signature",
      detail: `Requests are ${oldSignatureSeconds / 60} minutes old. Gantry must refuse them.`,
      isOn: faults.signatureAgeSeconds > 0,
      set: (on: boolean) => ({ signatureAgeSeconds: on ? oldSignatureSeconds : 0 }),
    },
  ];
  return [
    {
      label: "Slack asks to wait longer",
      detail: `Error 429 says to wait ${longRetryAfterSeconds / 60} minutes instead of 1 s.`,
      isOn: faults.retryAfterSeconds > 1,
      set: (on) => ({ retryAfterSeconds: on ? longRetryAfterSeconds : 1 }),
    },
    {
      label: "Slack is slow",
      detail: `Every answer takes ${slowSlackMs / 1000} s.`,
      isOn: faults.slowMs > 0,
      set: (on) => ({ slowMs: on ? slowSlackMs : 0 }),
    },
    {
      label: "Slack delivers twice",
      detail: "Every command, click and form arrives two times, as after a lost answer.",
      isOn: faults.deliverTwice,
      set: (on) => ({ deliverTwice: on }),
    },
    ...(faults.sockets === null ? signatures : []),
  ];
}

/** The network between Slack and Gantry, and the app's connections in Socket Mode. */
function connectionFaults({ isNetworkCut, sockets }: WireFaults): readonly FaultSwitch[] {
  const cut: FaultSwitch = {
    label: "The network is cut",
    detail: "Nothing arrives on either side, and no connection is closed.",
    isOn: isNetworkCut,
    set: (on) => ({ network: on ? "cut" : "whole" }),
  };
  if (sockets === null) return [cut];
  return [
    cut,
    {
      label: "Socket Mode is off",
      detail: "As if somebody turned it off in the app's settings. Gantry's process ends, and this page with it.",
      isOn: !sockets.isOn,
      set: (on) => ({ sockets: on ? "off" : "on" }),
    },
    {
      label: "All ten connections are taken",
      detail: "New connections are refused (too_many_websockets).",
      isOn: sockets.isFull,
      set: (on) => ({ sockets: on ? "full" : "free" }),
    },
    {
      label: "New connections get no hello",
      detail: "They open, and nothing arrives.",
      isOn: sockets.isMute,
      set: (on) => ({ sockets: on ? "mute" : "greeted" }),
    },
  ];
}

/** What the workspace lets the app do. */
function installationFaults({ tokenError, refusesUploads }: WireFaults): readonly FaultSwitch[] {
  return [
    {
      label: "The token was revoked",
      detail: "Slack refuses everything but answers to commands and clicks.",
      isOn: tokenError !== "",
      set: (on) => ({ tokenError: on ? "token_revoked" : "" }),
    },
    {
      label: "Files can't be uploaded",
      detail: "As where admins turned file uploads off.",
      isOn: refusesUploads,
      set: (on) => ({ refusesUploads: on }),
    },
  ];
}

function outsideFaults({ extra }: WireFaults): readonly FaultSwitch[] {
  return extra.map(({ label, on }) => ({
    label,
    isOn: on,
    set: (next) => ({ extra: { label, on: next } }),
  }));
}

/** The number of faults that are on. */
export function faultCount({ faults }: WireSnapshot): number {
  const switches = [deliveryFaults, connectionFaults, installationFaults, outsideFaults].flatMap((all) => all(faults));
  const chosen = [faults.answers !== "", faults.missingScopes.length > 0];
  return [...switches.map(({ isOn }) => isOn), ...chosen].filter(Boolean).length;
}

function drawSwitches(switches: readonly FaultSwitch[], change: Change): readonly JSX.Element[] {
  return switches.map(({ set, ...shown }) =>
    h(Switch, { key: shown.label, ...shown, onChange: (on) => change(set(on)) }),
  );
}

/** What happens once, to the connections that are open. */
const events: Readonly<Record<string, string>> = {
  refresh: "Refresh all connections",
  silence: "Let one die silently",
  drop: "Break one off",
};

/** The connections that are open, and what can happen to them. */
function OpenConnections({ open, change }: { readonly open: readonly string[]; readonly change: Change }): JSX.Element {
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

/** Limits the fault to the current channel. */
function OnlyHere(props: {
  readonly channelId: string;
  readonly onChange: (channelId: string) => void;
}): JSX.Element | null {
  const { channel } = useApp();
  if (channel.kind === "im") return null;
  return h(Switch, {
    label: `Only in #${channel.name}`,
    detail: "Requests for other channels are answered normally.",
    isOn: props.channelId === channel.id,
    onChange: (on) => props.onChange(on ? channel.id : ""),
  });
}

/** Slack's answers: the fault, the method, and the channel. */
function Answers({ change }: { readonly change: Change }): JSX.Element {
  const { faults } = useApp().snapshot;
  const [answersTo, setAnswersTo] = useState(faults.answersTo);
  const [answersIn, setAnswersIn] = useState(faults.answersIn);
  const set = (how: string, to: string, where = answersIn): void =>
    change({ answers: how, answersTo: to, answersIn: where });
  return h(
    Fragment,
    null,
    h(Choice, {
      label: "Slack answers",
      value: faults.answers,
      options: answers,
      onChange: (how) => set(how, answersTo),
    }),
    h(Choice, {
      label: "For these requests",
      value: answersTo,
      options: answered,
      onChange: (to) => {
        setAnswersTo(to);
        if (faults.answers !== "") set(faults.answers, to);
      },
    }),
    h(OnlyHere, {
      channelId: answersIn,
      onChange: (where) => {
        setAnswersIn(where);
        if (faults.answers !== "") set(faults.answers, answersTo, where);
      },
    }),
  );
}

/** Switches for faults. */
export function FaultPanel(): JSX.Element {
  const { snapshot, attempt } = useApp();
  const { faults, app } = snapshot;
  const change = (body: JsonObject): void => attempt(perform("faults", body));
  const scopes = Object.fromEntries(app.scopes.map((scope) => [scope, scope]));
  return h(
    "fieldset",
    { class: "fault-panel fill scroll" },
    h("legend", null, "Break something and watch how Gantry reacts."),
    h(Answers, { change }),
    drawSwitches([...deliveryFaults(faults), ...connectionFaults(faults)], change),
    faults.sockets === null ? null : h(OpenConnections, { open: faults.sockets.open, change }),
    drawSwitches(installationFaults(faults), change),
    h(Choice, {
      label: "The app lacks a scope",
      value: faults.missingScopes[0] ?? "",
      options: { "": "None", ...scopes },
      onChange: (scope) => change({ missingScopes: scope === "" ? [] : [scope] }),
    }),
    h(InstallButtons, {}),
    h(ChannelPanel, {}),
    drawSwitches(outsideFaults(faults), change),
    h(PeoplePanel, {}),
    h(
      "button",
      // Never disabled: what this page knows of the faults may be old.
      { type: "button", class: "btn", onClick: () => change({ clear: true }) },
      "Turn everything off",
    ),
    h(LeftOut, {}),
  );
}
