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
  "": "as it should",
  "429": "429, too many requests",
  "500": "500, and does nothing",
  lost: "500, though it does it",
  late: "10 s late, though it does it at once",
  hang: "nothing: it hangs",
  garbage: "with a page that is no JSON",
  blocks: "that blocks are invalid",
};

const answered: Readonly<Record<string, string>> = {
  all: "everything",
  "chat.postMessage": "chat.postMessage: cards and threads",
  "chat.update": "chat.update: cards that change",
  "chat.postEphemeral": "chat.postEphemeral",
  response_url: "response_url: answers",
  "views.open": "views.open: forms",
  "users.info": "users.info: who people are",
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
      label: "Slack answers the bot ",
      value: faults.answers,
      options: answers,
      onChange: (how) => set(how, answersTo),
    }),
    h(Choice, {
      label: "when it asks for ",
      value: answersTo,
      options: answered,
      onChange: (to) => {
        setAnswersTo(to);
        if (faults.answers !== "") set(faults.answers, to);
      },
    }),
    h(Switch, {
      label: "Slack asks for patience",
      detail: `A 429 says Retry-After: ${longRetryAfterSeconds} instead of 1.`,
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
      detail: `Each of its answers to the bot takes ${slowSlackMs / 1000} s.`,
      isOn: faults.slowMs > 0,
      onChange: (on) => change({ slowMs: on ? slowSlackMs : 0 }),
    }),
    h(Switch, {
      label: "Slack delivers twice",
      detail: "Each command, click and submission reaches the bot two times, as after a lost ack.",
      isOn: faults.deliverTwice,
      onChange: (on) => change({ deliverTwice: on }),
    }),
    h(Switch, {
      label: "Somebody else signs",
      detail: "Requests to the bot carry a wrong signature: it must refuse them.",
      isOn: faults.signsWrongly,
      onChange: (on) => change({ signsWrongly: on }),
    }),
    h(Switch, {
      label: "Old requests are sent again",
      detail: `Their signatures are ${oldSignatureSeconds / 60} minutes old: the bot must refuse them.`,
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
    label: `${bot} is not in #${channel.name}`,
    detail: "It can answer commands there, but not post or hear what is said.",
    isOn: !channel.hasBot,
    onChange: (on) => change({ bot: { channel: channel.id, isIn: !on } }),
  });
}

/** Whether the current channel is archived. */
function Archive(): JSX.Element | null {
  const { channel, attempt } = useApp();
  if (channel.kind === "im") return null;
  return h(Switch, {
    label: `#${channel.name} is archived`,
    detail: "Nobody writes there, and the bot can change none of its messages.",
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
    h("legend", null, "Make trouble, and see what the bot does"),
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
      "Clear all trouble",
    ),
  );
}
