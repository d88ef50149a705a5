import { Fragment, h, type JSX } from "preact";
import { useState } from "preact/hooks";
import type { JsonObject } from "../../json.ts";
import type { SlackAnswers, WireSnapshot } from "../../live/wire.ts";
import { PeoplePanel } from "./people-panel.ts";
import { perform } from "../app/request.ts";
import { useApp } from "../app/app-context.ts";
import { Switch } from "../controls/switch.ts";
import { userName } from "../app/workspace.ts";

const slowSlackMs = 2000;
/**
 * Bots accept signatures of the last five minutes: https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
const oldSignatureSeconds = 600;

const longRetryAfterSeconds = 40;

const answers: Readonly<Record<SlackAnswers, string>> = {
  "": "Normally",
  "429": "Error 429: too many requests",
  "500": "Error 500, nothing done",
  lost: "Error 500, but done",
  late: "After 10 s, but done at once",
  hang: "Never",
  garbage: "With an HTML page instead of JSON",
  blocks: "Error: invalid blocks",
};

const answered: Readonly<Record<string, string>> = {
  all: "All requests",
  "chat.postMessage": "chat.postMessage (new messages)",
  "chat.update": "chat.update (changed messages)",
  "chat.postEphemeral": "chat.postEphemeral (only visible to you)",
  response_url: "response_url (answers to commands)",
  "views.open": "views.open (forms)",
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
  ];
  return [...slack, ...faults.extra.map((each) => each.on)].filter(Boolean).length;
}

function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly options: Readonly<Record<string, string>>;
  readonly onChange: (to: string) => void;
}): JSX.Element {
  const { label, value, options, onChange } = props;
  return h(
    "label",
    { class: "faults" },
    h("span", { class: "fault-name" }, label),
    h(
      "select",
      {
        class: "fault-select",
        value,
        onChange: (event: Event) => onChange((event.currentTarget as HTMLSelectElement).value),
      }, // the select it is set on
      Object.entries(options).map(([name, words]) =>
        h("option", { key: name, value: name, selected: name === value }, words),
      ),
    ),
  );
}

/** Slack's answers: the fault, the method, and Retry-After. */
function Answers({ change }: { readonly change: (body: JsonObject) => void }): JSX.Element {
  const { faults } = useApp().snapshot;
  const [answersTo, setAnswersTo] = useState(faults.answersTo);
  const set = (how: string, to: string): void => change({ answers: how, answersTo: to });
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
    h(Switch, {
      label: "Slack asks to wait longer",
      detail: `Error 429 says Retry-After: ${longRetryAfterSeconds} s instead of 1 s.`,
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
  );
}

/** Whether the bot is in the current channel. */
function Membership({ change }: { readonly change: (body: JsonObject) => void }): JSX.Element | null {
  const { snapshot, channel } = useApp();
  if (channel.kind === "im") return null;
  const bot = userName(snapshot, snapshot.app.user);
  return h(Switch, {
    label: `Remove ${bot} from #${channel.name}`,
    detail: "Commands still work, but only you see the answers.",
    isOn: !channel.hasBot,
    onChange: (on) => change({ bot: { channel: channel.id, isIn: !on } }),
  });
}

/** Whether the current channel is archived. */
function Archive(): JSX.Element | null {
  const { channel, attempt } = useApp();
  if (channel.kind === "im") return null;
  return h(Switch, {
    label: `Archive #${channel.name}`,
    detail: "Nobody can post there, and messages can't change.",
    isOn: channel.isArchived,
    onChange: (on) => attempt(perform("people", { do: on ? "archive" : "unarchive", channel: channel.id })),
  });
}

/** Switches for faults. */
export function FaultPanel(): JSX.Element {
  const { snapshot, attempt } = useApp();
  const { faults } = snapshot;
  const change = (body: JsonObject): void => attempt(perform("faults", body));
  return h(
    "fieldset",
    { class: "fault-panel" },
    h("legend", null, "Break something and watch how Gantry reacts."),
    h(Answers, { change }),
    h(Deliveries, { change }),
    h(Membership, { change }),
    h(Archive, {}),
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
      { type: "button", class: "btn", disabled: faultCount(snapshot) === 0, onClick: () => change({ clear: true }) },
      "Turn everything off",
    ),
  );
}
