import type { JsonObject } from "../../json.ts";
import {
  beside,
  button,
  message,
  modal,
  mrkdwn,
  plain,
  prose,
  type SampleGroup,
  section,
  times,
  unbroken,
} from "./sample.ts";
import { clickSamples, fieldSamples, selectSamples } from "./element-samples.ts";
import { richSamples, textSamples } from "./text-samples.ts";

const picture = { image_url: "https://gantry.example/picture.svg", alt_text: "Two boxes and a crane" };
const lost = { image_url: "https://gantry.example/lost.png", alt_text: "A picture that cannot be loaded" };
const cell = (text: string): JsonObject => ({ type: "raw_text", text });

const linkCell: JsonObject = {
  type: "rich_text",
  elements: [{ type: "rich_text_section", elements: [{ type: "link", url: "http://web.example:8080" }] }],
};

const services: JsonObject = {
  type: "table",
  column_settings: [{ is_wrapped: false }, { align: "center" }, { align: "right" }, { is_wrapped: true }],
  rows: [
    [cell("Name"), cell("Status"), cell("Size"), cell("Address")],
    [cell("web"), cell("running"), cell("2"), linkCell],
    [cell(unbroken(120)), cell("failed"), cell("12"), cell(prose(140))],
    [cell("worker"), cell("stopped"), { type: "raw_number", value: 0, text: "0" }, cell(" ")],
  ],
};

/** 100 rows of 20 cells with 10,000 characters in total, the limit. */
const largest: JsonObject = {
  type: "table",
  rows: times(100, (row) => times(20, (column) => cell(`${row}/${column}`.padEnd(5, "x").slice(0, 5)))),
};

const layoutSamples: readonly SampleGroup[] = [
  {
    name: "Image",
    samples: [
      message("least", { type: "image", ...picture }),
      message("with a title", { type: "image", title: plain("The yard :ship:"), ...picture }),
      message("beside a section", beside("*web*\nruns on two machines", { type: "image", ...picture })),
      modal("in a modal", { type: "image", ...picture }),
      message("that cannot be loaded", { type: "image", title: plain("A title"), ...lost }),
      message("a file in Slack", { type: "image", slack_file: { id: "F0123456789" }, alt_text: "a chart" }),
      message("2000 characters of alt text", {
        type: "image",
        title: plain(prose(400)),
        ...lost,
        alt_text: prose(2000),
      }),
    ],
  },
  {
    name: "Table",
    samples: [
      message("least", { type: "table", rows: [[cell("x")]] }),
      message("typical", services),
      message("100 rows of 20 cells", largest),
    ],
  },
  {
    name: "Plan",
    samples: [
      message("least", { type: "plan", title: "Thinking" }),
      message("typical", {
        type: "plan",
        title: "1 of 3 healthy",
        tasks: [
          { type: "task_card", task_id: "1", title: "web · runs 1.5", status: "complete" },
          { type: "task_card", task_id: "2", title: "worker · 1.5 is starting", status: "in_progress" },
          { type: "task_card", task_id: "3", title: prose(300), status: "pending" },
          { type: "task_card", task_id: "4", title: unbroken(200), status: "error" },
        ],
      }),
    ],
  },
  {
    name: "Many blocks",
    samples: [
      message(
        "50 blocks",
        ...times(25, (at) => section({ text: mrkdwn(`*${at + 1}* of many`), accessory: button("Open") })),
        ...times(25, () => ({ type: "divider" })),
      ),
    ],
  },
  {
    name: "Not drawn here",
    samples: [
      message("a block", {
        type: "video",
        title: plain("How it works"),
        video_url: "https://video.example/embed/1",
        thumbnail_url: "https://video.example/1.png",
        alt_text: "A video",
      }),
      { ...message("a block that Slack does not know", { type: "dividre", text: unbroken(200) }), isRefused: true },
      {
        ...message("an element that Slack does not know", { type: "actions", elements: [{ type: "lever" }] }),
        isRefused: true,
      },
    ],
  },
];

/** Each block and element: minimal, typical, and at its limits. */
export const samples: readonly SampleGroup[] = [
  ...textSamples,
  ...richSamples,
  ...layoutSamples,
  ...clickSamples,
  ...selectSamples,
  ...fieldSamples,
];
