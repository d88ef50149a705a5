import type { Message, Post } from "../../views/kit/message.ts";
import type { Origin } from "../../workflow/origin.ts";
import type { Responder } from "../../workflow/ports.ts";

/** `Responder` under its old names, until its callers take the port. */
export type PosterAlias = {
  readonly post: (message: Message, origin: Origin, options: { readonly isShared: boolean }) => Promise<void>;
  readonly tell: (message: Post, origin: Origin) => Promise<void>;
};

export function posterAlias(responder: Responder): PosterAlias {
  return {
    post: responder.answer,
    tell: async (message, origin) => void (await responder.tell(message, origin)),
  };
}
