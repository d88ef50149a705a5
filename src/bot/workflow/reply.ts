import type { Origin } from "./origin.ts";
import type { Responder, WorkflowClock } from "./ports.ts";
import { messageFor, sentAgain } from "../views/kit/post.ts";
import type { Answering, Reply, Undelivered } from "./inbox/interaction.ts";

/** See `Reply.actsFor`. */
export function withAccount(answering: Answering): Reply {
  let account: string | undefined;
  return {
    ...answering,
    actsFor(username) {
      account = username;
    },
    send: (post, how) => answering.send(account === undefined ? post : messageFor(account, post), how),
  };
}

export function createReply({ tell }: Pick<Responder, "tell">, origin: Origin): Answering {
  const undelivered: Undelivered[] = [];
  return {
    async send(post, how) {
      const told = await tell(post, origin);
      if (told !== true) undelivered.push({ post: told === "maybe" ? sentAgain(post) : post, how });
    },
    // The card shows it.
    requested: () => Promise.resolve(),
    undelivered: () => undelivered,
  };
}

/** People wonder after a second. Slack shows it a moment after it was sent. */
export const WORKING_AFTER_MS = 800;

type Answers = Partial<Pick<Responder, "answer" | "tell" | "tellPatiently">>;

type WhenSlow<Own> = {
  /** Replaces “Working…” with the answer. */
  readonly responder: Own;
  /** Nobody has to be shown anything any more. Never rejects. */
  readonly end: () => Promise<void>;
};

/** If nothing answers a person for a moment, shows them that their request is being worked on. Costs nothing before. */
export function workingWhenSlow<Own extends Answers>(
  {
    clock,
    responder,
  }: {
    readonly clock: Pick<WorkflowClock, "patience">;
    readonly responder: Own & Pick<Responder, "working">;
  },
  origin: Origin,
): WhenSlow<Own & Pick<Responder, "working">> {
  let shown: Promise<() => Promise<void>> | undefined;
  const end = async (): Promise<void> => {
    timer.cancel();
    const remove = await shown;
    shown = undefined;
    await remove?.();
  };
  const instead =
    <Args extends readonly unknown[], Result>(say: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      timer.cancel();
      // Sent at the same time, they could arrive the other way round.
      await shown;
      const said = await say(...args);
      await end();
      return said;
    };
  const timer = clock.patience(WORKING_AFTER_MS, () => {
    shown = responder.working(origin);
  });
  const { answer, tell, tellPatiently } = responder;
  return {
    responder: {
      ...responder,
      ...(answer && { answer: instead(answer) }),
      ...(tell && { tell: instead(tell) }),
      ...(tellPatiently && { tellPatiently: instead(tellPatiently) }),
    },
    end,
  };
}
