import { h, type JSX } from "preact";
import { type JsonObject, objectsOf, textOf } from "../../json.ts";
import type { WireFile, WireMessage } from "../../wire.ts";
import { Blocks } from "../blocks/blocks.ts";
import type { BlockContext } from "../blocks/block-context.ts";
import { MrkdwnText } from "../blocks/text/text-object.ts";
import { Icon } from "../controls/controls.ts";
import { useApp } from "../app/app-context.ts";
import { useBlockContext } from "../surfaces/use-block-context.ts";

function sizeWords(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function FileCard({ file }: { readonly file: WireFile }): JSX.Element {
  const { openFile } = useApp();
  return h(
    "div",
    { class: "file-card" },
    h(
      "button",
      { type: "button", class: "file-open", onClick: () => openFile(file) },
      h(Icon, { name: "file" }),
      h(
        "span",
        { class: "file-words" },
        h("span", { class: "file-name" }, file.title || file.name),
        h("small", null, sizeWords(file.size)),
      ),
    ),
    h(
      "a",
      {
        class: "icon-button",
        href: `/files/${file.id}`,
        download: file.name,
        "aria-label": `Download ${file.name}`,
        title: "Download",
      },
      h(Icon, { name: "download" }),
    ),
  );
}

function Attachment(props: { readonly attachment: JsonObject; readonly context: BlockContext }): JSX.Element {
  const { attachment, context } = props;
  const blocks = objectsOf(attachment["blocks"]);
  const text = textOf(attachment["text"]) || textOf(attachment["fallback"]);
  return h(
    "div",
    { class: "attachment" },
    blocks.length > 0 ? h(Blocks, { blocks, context }) : h(MrkdwnText, { text, context }),
  );
}

function Words({
  message,
  context,
}: {
  readonly message: WireMessage;
  readonly context: BlockContext;
}): JSX.Element | null {
  if (message.blocks.length > 0) return h(Blocks, { blocks: message.blocks, context });
  if (message.text === "") return null;
  return message.isMrkdwn ? h(MrkdwnText, { text: message.text, context }) : h("p", { class: "plain" }, message.text);
}

/** A message's content: blocks or text, attachments, files. */
export function MessageBody({ message }: { readonly message: WireMessage }): JSX.Element {
  const { context } = useBlockContext({ in: "message", channel: message.channel, ts: message.ts }, "message");
  return h(
    "div",
    { class: "message-body" },
    h(Words, { message, context }),
    message.attachments.map((attachment, at) => h(Attachment, { key: at, attachment, context })),
    message.files.map((file) => h(FileCard, { key: file.id, file })),
    message.isEdited ? h("span", { class: "edited" }, "(edited)") : null,
  );
}
