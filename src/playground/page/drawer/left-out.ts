import { h, type JSX } from "preact";

const docs = "https://docs.slack.dev";
const ephemeral = `${docs}/reference/methods/chat.postEphemeral`;

/** Facts about Slack that the workspace does not simulate, with the reason. */
const leftOut = [
  {
    says: "a message's text is best within 4,000 characters: advice, so that nothing is refused before the limit",
    link: `${docs}/reference/methods/chat.postMessage#truncating`,
  },
  {
    says: "an ephemeral message may never arrive, and is gone when the client reloads: here it always arrives, since chance would break tests; the page forgets it at a reload",
    link: ephemeral,
  },
  {
    says: "whether people of another organization can use an app's commands and buttons in a shared channel is up to both workspaces: here all of it reaches the bot, which has to refuse them",
    link: `${docs}/apis/slack-connect`,
  },
  {
    says: "whether a user group still lists somebody who was deactivated is not documented: here it does, since a bot must not count on it",
    link: `${docs}/reference/methods/usergroups.users.list`,
  },
  {
    says: "Delayed Events (hourly for 24 hours after the last retry): a setting of the app outside of its manifest, off at first",
    link: `${docs}/apis/events-api#retries`,
  },
  {
    says: "the retry reasons ssl_error and unknown_error: there is no TLS on a loopback address",
    link: `${docs}/apis/events-api#retries`,
  },
  {
    says: "blocks, elements, objects, methods and arguments that Gantry doesn't use: each is refused with an error that names it",
    link: `${docs}/reference/block-kit`,
  },
  {
    says: "stacked forms, streamed messages, attachments, assistant views, Work Objects and steps of the Workflow Builder: Gantry has none",
    link: `${docs}/surfaces`,
  },
  {
    says: "several hundred messages a minute for a whole workspace: only the pace of each channel is kept",
    link: `${docs}/apis/web-api/rate-limits#posting`,
  },
];

/** So that nobody takes its absence here for a fault of the app. */
export function LeftOut(): JSX.Element {
  return h(
    "details",
    { class: "left-out" },
    h("summary", null, "What Slack does and this workspace doesn't"),
    h(
      "ul",
      null,
      leftOut.map(({ says, link }) =>
        h("li", { key: says }, `${says} `, h("a", { href: link, target: "_blank", rel: "noreferrer" }, "Slack's page")),
      ),
    ),
  );
}
