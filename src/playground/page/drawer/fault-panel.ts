import { Fragment, h, type JSX } from "preact";
import { useState } from "preact/hooks";
import type { JsonObject } from "../../json.ts";
import type { SlackAnswers, WireSnapshot } from "../../wire.ts";
import { connectionFaults, ConnectionPanel } from "./connection-panel.ts";
import { ChannelPanel, InstallButtons, PeoplePanel } from "./admin-panel.ts";
import { perform } from "../app/request.ts";
import { useApp } from "../app/page-state.ts";
import { Choice, Switch } from "../controls/controls.ts";
import { notSimulated } from "../../rules/not-simulated.ts";

const slowSlackMs = 2000;
/**
 * Bots accept signatures of the last five minutes: https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
const oldSignatureSeconds = 600;

const longRetryAfterSeconds = 600;

const answers: Readonly<Record<SlackAnswers, string>> = {
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

/** The number of faults that are on. */
export function faultCount({ faults }: WireSnapshot): number {
  const { slowMs, deliverTwice, signsWrongly, signatureAgeSeconds, answers, retryAfterSeconds } = faults;
  const slack = [
    slowMs > 0,
    deliverTwice,
    signsWrongly,
    signatureAgeSeconds > 0,
    answers !== "",
    retryAfterSeconds > 1,
    ...connectionFaults(faults),
    faults.tokenError !== "",
    faults.missingScopes.length > 0,
    faults.refusesUploads,
  ];
  return [...slack, ...faults.extra.map((each) => each.on)].filter(Boolean).length;
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

/** Slack's answers: the fault, the method, and Retry-After. */
function Answers({ change }: { readonly change: (body: JsonObject) => void }): JSX.Element {
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
    h(Switch, {
      label: "Slack asks to wait longer",
      detail: `Error 429 says to wait ${longRetryAfterSeconds / 60} minutes instead of 1 s.`,
      isOn: faults.retryAfterSeconds > 1,
      onChange: (on) => change({ retryAfterSeconds: on ? longRetryAfterSeconds : 1 }),
    }),
  );
}

/** Slack's requests: delay, repetition and signature. */
function Deliveries({ change }: { readonly change: (body: JsonObject) => void }): JSX.Element {
  const { faults } = useApp().snapshot;
  return h(
    Fragment,
    null,
    h(Switch, {
      label: "Slack is slow",
      detail: `Every answer takes ${slowSlackMs / 1000} s.`,
      isOn: faults.slowMs > 0,
      onChange: (on) => change({ slowMs: on ? slowSlackMs : 0 }),
    }),
    h(Switch, {
      label: "Slack delivers twice",
      detail: "Every command, click and form arrives two times, as after a lost answer.",
      isOn: faults.deliverTwice,
      onChange: (on) => change({ deliverTwice: on }),
    }),
    ...(faults.sockets === null ? signatures(faults, change) : []),
  );
}

/** Only HTTP has signatures. */
function signatures(faults: WireSnapshot["faults"], change: (body: JsonObject) => void): readonly JSX.Element[] {
  return [
    h(Switch, {
      label: "Wrong signature",
      detail: "Requests aren't signed by Slack. Gantry must refuse them.",
      isOn: faults.signsWrongly,
      onChange: (on) => change({ signsWrongly: on }),
    }),
    h(Switch, {
      label: "Old signature",
      detail: `Requests are ${oldSignatureSeconds / 60} minutes old. Gantry must refuse them.`,
      isOn: faults.signatureAgeSeconds > 0,
      onChange: (on) => change({ signatureAgeSeconds: on ? oldSignatureSeconds : 0 }),
    }),
  ];
}

/** So that nobody takes its absence here for a fault of the app. */
function LeftOut(): JSX.Element {
  return h(
    "details",
    { class: "left-out" },
    h("summary", null, "What Slack does and this workspace doesn't"),
    h(
      "ul",
      null,
      Object.entries(notSimulated).map(([id, { says, link }]) =>
        h("li", { key: id }, `${says} `, h("a", { href: link, target: "_blank", rel: "noreferrer" }, "Slack's page")),
      ),
    ),
  );
}

/** Switches for faults. */
export function FaultPanel(): JSX.Element {
  const { snapshot, attempt } = useApp();
  const { faults } = snapshot;
  const change = (body: JsonObject): void => attempt(perform("faults", body));
  return h(
    "fieldset",
    { class: "fault-panel fill scroll" },
    h("legend", null, "Break something and watch how Gantry reacts."),
    h(Answers, { change }),
    h(Deliveries, { change }),
    h(ConnectionPanel, { change }),
    h(InstallationPanel, { change }),
    h(InstallButtons, {}),
    h(ChannelPanel, {}),
    faults.extra.map(({ label, on }) =>
      h(Switch, {
        key: label,
        label,
        detail: "",
        isOn: on,
        onChange: (next) => change({ extra: { label, on: next } }),
      }),
    ),
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

/** What the workspace lets the app do. */
function InstallationPanel({ change }: { readonly change: (body: JsonObject) => void }): JSX.Element {
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
