import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { drawBlocks, drawView, drawMrkdwn, newPen } from "../../../src/playground/draw/draw.ts";
import { newState } from "../../../src/playground/workspace/seeds.ts";
import {
  actions,
  button,
  input,
  modal,
  mrkdwn,
  option,
  plain,
  richText,
  section,
  trigger,
} from "../support/samples.ts";
import { type SmallWorld, startSmallWorld } from "../support/small-world.ts";

const state = newState("gantry");

describe("mrkdwn as a reader sees it", () => {
  test.each([
    ["<!channel> look", "@channel look", ["@channel"]],
    ["<!here|here>", "@here", ["@here"]],
    ["<!everyone>", "@everyone", ["@everyone"]],
    ["<@U0DANA> and <@U0ALEX|someone>", "@dana and @alex", ["@dana", "@alex"]],
    ["<@U404>", "@U404", ["@U404"]],
    ["<!subteam^S0ONCALL>", "@oncall", ["@oncall"]],
    ["&lt;!channel&gt; &amp;lt;", "<!channel> &lt;", []],
    ["@channel", "@channel", []],
    ["a < b > c", "a < b > c", []],
    ["<!date^1392734382^{date}|18 Feb 2014>", "18 Feb 2014", []],
  ])("%s is drawn %s and mentions %j", (text, drawn, mentions) => {
    const pen = newPen(state);

    expect(drawMrkdwn(pen, text)).toBe(drawn);
    expect(pen.mentions).toEqual(mentions);
  });

  test.each([
    ["<https://x.test>", "https://x.test", ["https://x.test"]],
    ["<https://x.test?a=1&amp;b=2|here &amp; now>", "here & now (https://x.test?a=1&b=2)", ["https://x.test?a=1&b=2"]],
    ["<mailto:a@x.test|write>", "write (mailto:a@x.test)", ["mailto:a@x.test"]],
    ["<#C0OPS>", "#ops", ["#ops"]],
  ])("%s is drawn %s and links to %j", (text, drawn, links) => {
    const pen = newPen(state);

    expect(drawMrkdwn(pen, text)).toBe(drawn);
    expect(pen.links).toEqual(links);
  });
});

test("every kind of block has its drawing", () => {
  const blocks = [
    { type: "header", text: plain("Services") },
    section({
      text: mrkdwn("*web* <!here>"),
      accessory: button({ text: plain("Open") }),
    }),
    { type: "divider" },
    { type: "context", elements: [mrkdwn("_old_"), plain("<raw>")] },
    actions(button({ text: plain("Next") }), {
      type: "overflow",
      options: [option({ text: plain("Stop") }), option({ text: plain("Go") })],
    }),
    input(
      { type: "plain_text_input", placeholder: plain("web-1") },
      { label: plain("Name"), hint: plain("lower case"), optional: true },
    ),
    input({
      type: "checkboxes",
      options: [option({ text: plain("a") }), option({ text: plain("b") })],
      initial_options: [option({ text: plain("b") })],
    }),
    actions({ type: "static_select", placeholder: plain("Pick"), options: [option()] }),
    richText(
      {
        type: "rich_text_section",
        elements: [
          { type: "text", text: "hi " },
          { type: "user", user_id: "U0OMAR" },
        ],
      },
      {
        type: "rich_text_list",
        style: "bullet",
        elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "dot" }] }],
      },
      { type: "rich_text_preformatted", elements: [{ type: "text", text: "<!channel>\n" }] },
    ),
    {
      type: "plan",
      title: "Deploy",
      tasks: [
        { type: "task_card", task_id: "1", title: "web", status: "complete" },
        { type: "task_card", task_id: "2", title: "worker", status: "in_progress" },
      ],
    },
    // From a workspace that an older version saved.
    { type: "video", title: "x" },
  ];
  const pen = newPen(state);

  expect(drawBlocks(pen, blocks)).toMatchInlineSnapshot(`
    "# Services
    *web* @here
    [Open]
    ────────
    _old_ <raw>
    [Next] [… Stop | Go]
    Name (optional):
    [          ] web-1
    lower case
    x:
    ( ) a (x) b
    [Pick ▾]
    hi @omar
    • dot
    \`\`\`
    <!channel>
    \`\`\`
    Deploy
    ✓ web
    … worker
    [not drawn here: video]"
  `);
  expect(pen.mentions).toEqual(["@here", "@omar"]);
});

describe("a modal", () => {
  let world: SmallWorld;
  beforeAll(async () => {
    world = await startSmallWorld();
  });
  afterAll(async () => {
    await world.stop();
  });

  test("is drawn with its title, fields, errors and buttons", async () => {
    const blocks = [{ ...input(undefined, { label: plain("Name") }), block_id: "name" }];
    await world.call("views.open", {
      trigger_id: await trigger(world),
      view: modal({ title: plain("Create"), submit: plain("Go"), blocks }),
    });
    const dana = world.playground.as("dana");
    await dana.submits();
    const view = dana.modal();

    expect(view === undefined ? "" : drawView(newPen(state), view)).toMatchInlineSnapshot(`
      "Form: Create
      Name:
      [          ]
      ! Name: Please complete this required field.
      [Go] [Cancel]"
    `);
  });

  test("live markup in the top-level text counts as a mention, though blocks cover it", async () => {
    await world.call("chat.postMessage", {
      channel: "C0OPS",
      text: "<!channel>",
      blocks: [section({ text: plain("<!channel>") })],
    });
    const [seen] = world.playground.as("gwen").sees();

    expect(seen).toMatchObject({ text: "<!channel>", notification: "@channel", mentions: ["@channel"] });
  });
});
