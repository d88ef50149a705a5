import type { Json, JsonObject } from "../json.ts";
import { messageJson } from "../web-api/methods/message-json.ts";
import type { World } from "../world.ts";

/** The workspace as JSON for external tools: people, channels with their messages, the transcript. */
export function stateJson(world: World): JsonObject {
  const { state } = world;
  const messagesOf = (channel: string): readonly Json[] =>
    state.messages
      .filter((message) => message.channel === channel)
      .map((message) => ({
        ...messageJson(world, message),
        ...(message.ephemeralTo === undefined ? {} : { ephemeral_to: message.ephemeralTo }),
        revision: message.revision,
      }));
  return {
    app: { name: world.app.name, commands: world.app.commands, scopes: world.app.scopes, events: world.app.events },
    revision: state.revision,
    users: [...state.users.values()].map((user) => ({ ...user })),
    channels: [...state.channels.values()].map((channel) => ({
      id: channel.id,
      name: channel.name,
      kind: channel.kind,
      members: [...channel.members],
      messages: messagesOf(channel.id),
    })),
    transcript: world.transcript.exchanges.map(({ direction, kind, atMs, status, ms, refusal }) => ({
      direction,
      kind,
      at_ms: atMs,
      status: status ?? null,
      ms: ms ?? null,
      refusal: refusal === undefined ? null : { ...refusal },
    })),
  };
}
