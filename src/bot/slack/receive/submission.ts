import { z } from "zod";
import type { WorkspaceParts } from "../parts.ts";
import type { Message } from "../../views/kit/post.ts";
import type { Ack } from "./transport.ts";
import type { Interaction } from "../../workflow/inbox/interaction.ts";
import { accept } from "../../workflow/receive/delivery.ts";
import { onForm, openedIn, stays } from "../modals/form-interaction.ts";
import { Origin } from "../../workflow/origin.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { CarriedView, jsonIn } from "./payload.ts";
import { connectResult } from "../../views/forms/connect-form.ts";
import { valuesIn } from "../../views/forms/form-element.ts";
import { endView } from "../../views/forms/modal.ts";

/** https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload */
const Submission = z.object({
  trigger_id: z.string().optional(),
  user: z.object({ id: z.string() }),
  view: CarriedView,
});
type Submission = z.infer<typeof Submission>;

const Card = z.object({ channelId: z.string(), ts: z.string() });
const RejectMetadata = z.object({ changeId: z.string(), card: Card.optional(), origin: Origin });
const HandOverMetadata = z.object({ alertId: z.string(), origin: Origin });
const ConnectMetadata = z.object({ whose: z.enum(["mine", "channel", "workspace"]), origin: Origin });

/** A submitted form. It is stored before its ack, like every decision; field errors are the ack. */
export async function onSubmission(deps: WorkspaceParts, body: unknown, ack: Ack): Promise<void> {
  const sent = Submission.parse(body);
  const id = sent.trigger_id ?? `${sent.view.id} ${sent.view.hash ?? ""}`;
  const opened = sent.view.callback_id.startsWith("form:") ? openedIn(sent.view) : undefined;
  if (deps.lanes.isStopping()) {
    const message = sentences.restarting();
    return ack(opened === undefined ? inForm(message) : stays(opened, message));
  }
  if (opened !== undefined) return onForm(deps, { id, userId: sent.user.id, view: sent.view, opened }, ack);
  const read = interactionOf(sent);
  if (read === undefined) return ack(inForm(sentences.unknownForm(deps.settings.command)));
  if ("errors" in read) return ack({ response_action: "errors", errors: read.errors });
  const { interaction, view } = read;
  return accept(deps, {
    id,
    interaction,
    ack: async (refusal) => {
      if (refusal !== undefined) return ack(inForm(refusal));
      return ack(view === undefined ? undefined : { response_action: "update", view });
    },
  });
}

type Read =
  | { readonly interaction: Interaction; readonly view?: object }
  | { readonly errors: Readonly<Record<string, string>> }
  | undefined;

function interactionOf(sent: Submission): Read {
  switch (sent.view.callback_id) {
    case "change:reject":
      return rejection(sent);
    case "alert:handOver":
      return handOver(sent);
    case "account:connect":
      return connection(sent);
    default:
      return undefined;
  }
}

function rejection(sent: Submission): Read {
  const metadata = RejectMetadata.safeParse(jsonIn(sent.view.private_metadata));
  if (!metadata.success) return undefined;
  const { changeId, card, origin } = metadata.data;
  const reason = valueOf(sent, "reason");
  const interaction: Interaction = {
    kind: "decide",
    decision: "reject",
    changeId,
    isClicked: true,
    // The person who sends the form decides, whatever its metadata say.
    origin: { ...origin, userId: sent.user.id },
    ...(card !== undefined && { card }),
    ...(reason !== "" && { reason }),
  };
  return { interaction };
}

function handOver(sent: Submission): Read {
  const metadata = HandOverMetadata.safeParse(jsonIn(sent.view.private_metadata));
  if (!metadata.success) return undefined;
  const { alertId, origin } = metadata.data;
  const [, to] = /^<@([UW][A-Z0-9]+)>$/u.exec(valuesIn(sent.view.state.values)["person"] ?? "") ?? [];
  if (to === undefined) return { errors: { person: "Choose a person." } };
  // The person who sends the form hands it over, whatever its metadata say.
  return { interaction: { kind: "leave", alertId, to, origin: { ...origin, userId: sent.user.id } } };
}

function connection(sent: Submission): Read {
  const metadata = ConnectMetadata.safeParse(jsonIn(sent.view.private_metadata));
  if (!metadata.success) return undefined;
  const { whose, origin } = metadata.data;
  const username = valueOf(sent, "username");
  const token = valueOf(sent, "token");
  const errors = {
    ...(username === "" && { username: "Enter the account's user name." }),
    ...(token === "" && { token: "Enter the token." }),
    ...(/[^!-~]/u.test(token) && { token: "A token has no spaces, line breaks or accented letters. Copy it again." }),
    ...(/[^ -~]/u.test(username) && { username: "A user name has only plain letters, digits and symbols." }),
  };
  if (Object.keys(errors).length > 0) return { errors };
  const interaction: Interaction = {
    kind: "connect",
    whose,
    username,
    token,
    viewId: sent.view.id,
    origin: { ...origin, userId: sent.user.id },
  };
  return { interaction, view: connectResult({ kind: "checking", username }) };
}

/** The value of the field whose block has this id; the views give the element the same one. */
function valueOf({ view }: Submission, block: string): string {
  const [field] = Object.values(view.state.values[block] ?? {});
  return field?.value?.trim() ?? "";
}

/** Shows a message in place of the form: https://docs.slack.dev/surfaces/modals */
function inForm(post: Message): object {
  return { response_action: "update", view: endView({ title: "Gantry", post }) };
}
