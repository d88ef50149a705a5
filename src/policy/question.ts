import type { ActionId } from "./operation-facts.ts";
import type { Person } from "./person.ts";
import type { Risk } from "./risk.ts";

/** Where somebody asks: a channel, or the conversation with the bot alone. */
export type PolicyPlace = { readonly kind: "channel" | "dm"; readonly channelId: string };

/** What a rule may ask about: may this person do this here? `undefined` stands for what is not known (yet). */
export type Question = {
  readonly person: Person;
  readonly place: PolicyPlace;
  readonly op: ActionId;
  /** Only of a write. */
  readonly risk: Risk | undefined;
  /**
   * A list is about no single workload and has no name; of a bare name the kind is not known before it is read. Of a
   * channel that is bound, only the region is said: a binding is about no workload, and nothing is done with an account.
   */
  readonly workload: {
    readonly kind: "service" | "job" | undefined;
    readonly region: string | undefined;
    readonly name: string | undefined;
  };
  /** The user name of the account it would be done with. */
  readonly account: string | undefined;
  /** Whether they said `--break-glass`: only then rules for it are looked at. */
  readonly breakGlass: boolean;
};
