const docs = "https://docs.slack.dev";
const ephemeral = `${docs}/reference/methods/chat.postEphemeral`;

/** Facts about Slack that the workspace does not simulate, with the reason. */
export const notSimulated = {
  "message.short-text": {
    says: "a message's text is best within 4,000 characters: advice, so that nothing is refused before the limit",
    link: `${docs}/reference/methods/chat.postMessage#truncating`,
  },
  "ephemeral.delivery": {
    says: "an ephemeral message may never arrive, and is gone when the client reloads: here it always arrives, since chance would break tests; the page forgets it at a reload",
    link: ephemeral,
  },
  "shared.commands": {
    says: "whether people of another organization can use an app's commands and buttons in a shared channel is up to both workspaces: here all of it reaches the bot, which has to refuse them",
    link: `${docs}/apis/slack-connect`,
  },
  "group.deactivated": {
    says: "whether a user group still lists somebody who was deactivated is not documented: here it does, since a bot must not count on it",
    link: `${docs}/reference/methods/usergroups.users.list`,
  },
  "event.delayed": {
    says: "Delayed Events (hourly for 24 hours after the last retry): a setting of the app outside of its manifest, off at first",
    link: `${docs}/apis/events-api#retries`,
  },
  "event.reasons": {
    says: "the retry reasons ssl_error and unknown_error: there is no TLS on a loopback address",
    link: `${docs}/apis/events-api#retries`,
  },
  "work-objects": {
    says: "Work Objects (metadata.entities, entity.presentDetails and their events): metadata is kept and shown nowhere",
    link: `${docs}/messaging/work-objects-overview`,
  },
  "custom-steps": {
    says: "custom steps of the Workflow Builder (function_executed, functions.completeSuccess): there is no builder here",
    link: `${docs}/workflows/workflow-steps`,
  },
  "assistant-views": {
    says: "assistant views (assistant.threads.*, assistant_thread_started, agent sessions): people reach the app by commands, mentions and direct messages",
    link: `${docs}/ai/developing-ai-apps`,
  },
  "method.others": {
    says: "most methods of the Web API, such as reactions.add, pins.add or search: they answer unknown_method, as a method does that Slack doesn't know",
    link: `${docs}/reference/methods`,
  },
  "posting.workspace-rate": {
    says: "several hundred messages a minute for a whole workspace: only the pace of each channel is kept",
    link: `${docs}/apis/web-api/rate-limits#posting`,
  },
  "video.domain": {
    says: "a video's host is among the app's unfurl domains and can be embedded: the workspace fetches nothing from the network",
    link: `${docs}/reference/block-kit/blocks/video-block`,
  },
  "file-input.upload": {
    says: "files of a file_input are at most 10 MB each: people of the playground upload none",
    link: `${docs}/reference/block-kit/block-elements/file-input-element`,
  },
} as const satisfies Readonly<Record<string, { readonly says: string; readonly link: string }>>;
