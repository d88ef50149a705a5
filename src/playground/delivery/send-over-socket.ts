import type { Json } from "../json.ts";
import { refuse } from "../rules/refusal.ts";
import { envelopeOf, takesPayload } from "../sockets/frames.ts";
import type { World } from "../world.ts";
import type { Ack, BotRequest, Way } from "./bot-request.ts";

const notConnected: Ack = {
  status: undefined,
  answer: undefined,
  error: "dispatch_failed",
  reason: "not_connected",
  wantsNoRetry: false,
};

/** Puts the request into an envelope and sends it on one of the app's connections. */
export function overSocket(world: World, request: BotRequest): Way {
  const link = world.links.pick();
  if (link === undefined) return { send: () => Promise.resolve(notConnected) };
  const envelope = envelopeOf(request);
  const { payload: _payload, ...head } = envelope;
  return {
    envelope: { ...head, connection: link.name },
    send: () => link.deliver(envelope, world.ackMs),
    checkAnswer(answer: Json | undefined) {
      if (answer === undefined || takesPayload(request)) return;
      refuse("unexpected_payload", "socket.ack-payload", `the ack of a ${request.kind} has a payload`);
    },
  };
}
