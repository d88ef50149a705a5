import type { JsonObject } from "../../json.ts";
import {
  actions,
  beside,
  button,
  longOptions,
  message,
  modal,
  mrkdwn,
  option,
  plain,
  prose,
  type SampleGroup,
  times,
  unbroken,
} from "./sample.ts";

const confirm = (more: JsonObject = {}): JsonObject => ({
  title: plain("Delete web?"),
  text: mrkdwn("This stops *2 instances* and cannot be undone."),
  confirm: plain("Delete"),
  deny: plain("Keep"),
  ...more,
});

const overflow = (more: JsonObject = {}): JsonObject => ({
  type: "overflow",
  options: [
    option("Restart"),
    { ...option("Open the docs"), url: "https://docs.slack.dev" },
    { ...option("Delete"), description: plain("for ever") },
  ],
  ...more,
});

const looks = actions(
  button("Plain"),
  button("Primary :rocket:", { style: "primary" }),
  button("Danger", { style: "danger" }),
  button("Opens a page", { url: "https://docs.slack.dev" }),
  button("…", { accessibility_label: "More of it" }),
);

export const clickSamples: readonly SampleGroup[] = [
  {
    name: "Button",
    samples: [
      message("least", actions(button("x"))),
      message("looks", looks),
      modal("looks in a modal", looks),
      message("beside a section", beside("*web* is running", button("Stop", { style: "danger" }))),
      message("a bot that does not answer", actions(button("Try it", { action_id: "no-answer" }))),
      message(
        "confirmation",
        actions(
          button("Delete", { style: "danger", confirm: confirm({ style: "danger" }) }),
          button("Short", { confirm: { text: plain("Sure?") } }),
        ),
      ),
      modal(
        "the longest confirmation",
        actions(
          button("Ask", {
            confirm: confirm({
              title: plain(unbroken(100)),
              text: plain(prose(300)),
              confirm: plain(unbroken(30)),
              deny: plain(unbroken(30)),
            }),
          }),
        ),
      ),
      message("25 buttons", actions(...times(25, (at) => button(`Button ${at + 1}`)))),
      message(
        "75 characters without a space",
        actions(button(unbroken(75)), button(unbroken(75), { style: "primary" })),
      ),
      message("75 characters beside a section", beside(prose(200), button(unbroken(75)))),
    ],
  },
  {
    name: "Overflow menu",
    samples: [
      message("least", beside("a", { type: "overflow", options: [option("x")] })),
      message("typical", beside("*web* is running", overflow({ confirm: confirm() }))),
      modal("in a modal", actions(overflow())),
      message("5 options, as long as they may be", beside("*web*", { type: "overflow", options: longOptions(5) })),
    ],
  },
];
