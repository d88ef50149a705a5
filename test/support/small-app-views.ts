import type { KnownBlock, ModalView } from "@slack/types";

export const plain = (text: string) => ({ type: "plain_text" as const, text }); // the literal, not any string
const mrkdwn = (text: string) => ({ type: "mrkdwn" as const, text }); // the literal, not any string
const option = (value: string) => ({ text: plain(value), value });

export const section = (text: string): KnownBlock => ({ type: "section", text: mrkdwn(text) });

/** The form of a booking. Its ship's name must be free: `Ever Given` is not. */
export function bookingForm(): ModalView {
  return {
    type: "modal",
    callback_id: "booking",
    title: plain("Book a berth"),
    submit: plain("Book"),
    blocks: [
      {
        type: "input",
        block_id: "ship",
        label: plain("Ship"),
        hint: plain("As it stands on its bow"),
        element: { type: "plain_text_input", action_id: "name" },
      },
      {
        type: "input",
        block_id: "pier",
        label: plain("Pier"),
        element: {
          type: "external_select",
          action_id: "pier",
          min_query_length: 2,
          placeholder: plain("Search piers"),
        },
      },
      { type: "input", block_id: "day", label: plain("Day"), element: { type: "datepicker", action_id: "day" } },
      {
        type: "input",
        block_id: "needs",
        optional: true,
        label: plain("Needs"),
        element: { type: "checkboxes", action_id: "needs", options: ["crane", "pilot", "water"].map(option) },
      },
    ],
  };
}

/** What the form turns into before it is sent. */
export function bookingSummary(words: string): ModalView {
  return {
    type: "modal",
    callback_id: "booking-summary",
    title: plain("Is this right?"),
    submit: plain("Yes, book it"),
    private_metadata: words,
    blocks: [section(words)],
  };
}

/** A button, a menu, boxes and a date in one message. */
export function pickers(): KnownBlock[] {
  return [
    {
      type: "section",
      text: mrkdwn("*Northern Light*"),
      accessory: { type: "overflow", action_id: "overflow", options: ["Moor", "Cast off"].map(option) },
    },
    {
      type: "actions",
      elements: [
        { type: "checkboxes", action_id: "needs", options: ["crane", "pilot"].map(option) },
        { type: "datepicker", action_id: "day", initial_date: "2026-11-20" },
        {
          type: "static_select",
          action_id: "pier",
          placeholder: plain("Choose a pier"),
          options: ["North pier", "South pier"].map(option),
        },
        {
          type: "button",
          action_id: "sink",
          style: "danger",
          text: plain("Sink it"),
        },
      ],
    },
  ];
}

export function homeFor(user: string, opened: number): KnownBlock[] {
  return [
    { type: "header", text: plain("The harbour today") },
    section(`Good morning, <@${user}>. This is visit ${opened}.`),
    { type: "actions", elements: [{ type: "button", action_id: "ring", text: plain("Ring the bell") }] },
  ];
}
