import { Fragment, h, type JSX } from "preact";
import type { JsonObject } from "../../json.ts";
import type { SlackAnswers, WirePlaces } from "../../live/wire.ts";
import { PeoplePanel } from "./people-panel.ts";
import { perform } from "./request.ts";
import { useShell } from "./shell-context.ts";
import { Switch } from "./switch.ts";
import { userName } from "./workspace.ts";

const slowSlackMs = 2000;
/** Bots take signatures of the last five minutes: https://docs.slack.dev/authentication/verifying-requests-from-slack */
const oldSignatureSeconds = 600;

const answers: Readonly<Record<SlackAnswers, string>> = {
  "": "as it should",
  "429": "429, too many requests, to everything",
  "500": "500 to everything, and does nothing",
  lost: "500 to everything, though it does it",
  hang: "nothing: it hangs",
  garbage: "with a page that is no JSON",
};

/** How many troubles are on. */
export function troubleCount({ trouble }: WirePlaces): number {
  const { slowMs, deliverTwice, signsWrongly, signatureAgeSeconds, answers: given } = trouble;
  const slack = [slowMs > 0, deliverTwice, signsWrongly, signatureAgeSeconds > 0, given !== ""];
  return [...slack, ...trouble.extra.map((each) => each.on)].filter(Boolean).length;
}

function Answers({
  value,
  onChange,
}: {
  readonly value: SlackAnswers;
  readonly onChange: (to: string) => void;
}): JSX.Element {
  return h(
    "label",
    { class: "trouble" },
    h("span", { class: "trouble-name" }, "Slack answers the bot "),
    h(
      "select",
      {
        class: "trouble-select",
        value,
        onChange: (event: Event) => onChange((event.currentTarget as HTMLSelectElement).value),
      }, // the select it is set on
      Object.entries(answers).map(([name, words]) =>
        h("option", { key: name, value: name, selected: name === value }, words),
      ),
    ),
  );
}

/** How late, how often and how signed Slack's requests and answers are. */
function Deliveries({ change }: { readonly change: (body: JsonObject) => void }): JSX.Element {
  const { trouble } = useShell().places;
  return h(
    Fragment,
    null,
    h(Switch, {
      label: "Slack is slow",
      detail: `Each of its answers to the bot takes ${slowSlackMs / 1000} s.`,
      isOn: trouble.slowMs > 0,
      onChange: (on) => change({ slowMs: on ? slowSlackMs : 0 }),
    }),
    h(Switch, {
      label: "Slack delivers twice",
      detail: "Each command, click and submission reaches the bot two times, as after a lost ack.",
      isOn: trouble.deliverTwice,
      onChange: (on) => change({ deliverTwice: on }),
    }),
    h(Switch, {
      label: "Somebody else signs",
      detail: "Requests to the bot carry a wrong signature: it must refuse them.",
      isOn: trouble.signsWrongly,
      onChange: (on) => change({ signsWrongly: on }),
    }),
    h(Switch, {
      label: "Old requests are sent again",
      detail: `Their signatures are ${oldSignatureSeconds / 60} minutes old: the bot must refuse them.`,
      isOn: trouble.signatureAgeSeconds > 0,
      onChange: (on) => change({ signatureAgeSeconds: on ? oldSignatureSeconds : 0 }),
    }),
  );
}

/** Whether the bot is in the channel that is shown. */
function Membership({ change }: { readonly change: (body: JsonObject) => void }): JSX.Element | null {
  const { places, channel } = useShell();
  if (channel.kind === "im") return null;
  const bot = userName(places, places.app.user);
  return h(Switch, {
    label: `${bot} is not in #${channel.name}`,
    detail: "It can answer commands there, but not post or hear what is said.",
    isOn: !channel.hasBot,
    onChange: (on) => change({ bot: { channel: channel.id, isIn: !on } }),
  });
}

/** Switches for what can go wrong, to see what the bot does then. */
export function TroublePanel(): JSX.Element {
  const { places, attempt } = useShell();
  const { trouble } = places;
  const change = (body: JsonObject): void => attempt(perform("trouble", body));
  return h(
    "fieldset",
    { class: "trouble-panel" },
    h("legend", null, "Make trouble, and see what the bot does"),
    h(Answers, { value: trouble.answers, onChange: (to) => change({ answers: to }) }),
    h(Deliveries, { change }),
    h(Membership, { change }),
    trouble.extra.map(({ label, on }) =>
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
      { type: "button", class: "btn", disabled: troubleCount(places) === 0, onClick: () => change({ clear: true }) },
      "Clear all trouble",
    ),
  );
}
