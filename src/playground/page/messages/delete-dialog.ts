import { h, type JSX } from "preact";
import type { WireMessage } from "../../live/wire.ts";
import { ConfirmDialog } from "../blocks/elements/confirm-dialog.ts";
import { useBlockContext } from "../surfaces/use-block-context.ts";

const plain = (text: string): { type: string; text: string } => ({ type: "plain_text", text });

const question = {
  title: plain("Delete message"),
  text: plain("Are you sure you want to delete this message? This can't be undone."),
  confirm: plain("Delete"),
  deny: plain("Cancel"),
  style: "danger",
};

/** Asks before a message is deleted. */
export function DeleteDialog(props: {
  readonly message: WireMessage;
  readonly onDecision: (isYes: boolean) => void;
}): JSX.Element {
  const { channel, ts } = props.message;
  const { context } = useBlockContext({ in: "message", channel, ts }, "message");
  return h(ConfirmDialog, { confirm: question, context, onDecision: props.onDecision });
}
