import { expect } from "vitest";
import { input, modal, plain, section, trigger } from "../../support/samples.ts";
import type { Answer, SmallWorld } from "../../support/small-world.ts";

const named = (title: string, more: object = {}) => modal({ title: plain(title), submit: plain(), ...more });

/** Modals: their response actions, and what stays in them. */
export function modalConduct(where: () => SmallWorld) {
  const dana = () => where().playground.as("dana");
  const shown = (): unknown => dana().modal()?.content["title"];
  const call = async (method: string, view: object): Promise<Answer> =>
    where().call(method, { trigger_id: await trigger(where()), view });
  const answering = async (json: unknown): Promise<void> => {
    where().bot.answer = (payload) => (payload["type"] === "view_submission" ? { json } : undefined);
    await dana().submits();
    where().bot.answer = () => undefined;
  };

  return {
    "an empty answer to a view_submission closes the form": async () => {
      await call("views.open", named("One"));
      const before = shown();
      await dana().submits();

      expect(before).toEqual(plain("One"));
      expect(dana().modal()).toBeUndefined();
    },
    "the answer to a view_submission may update the form, or show errors under input blocks": async () => {
      const blocks = [{ ...input(undefined, { optional: true }), block_id: "name" }];
      await call("views.open", named("One", { blocks }));
      await answering({ response_action: "errors", errors: { name: "taken" } });
      const errors = dana().modal()?.errors;
      await answering({ response_action: "update", view: named("Two") });

      expect([errors, shown()]).toEqual([{ name: "taken" }, plain("Two")]);
    },
    "what was filled in stays when a view is updated, under the same block_id and action_id": async () => {
      const field = (blockId: string, actionId: string) => ({
        ...input({ type: "plain_text_input", action_id: actionId }),
        block_id: blockId,
      });
      const { view } = await call("views.open", named("One", { blocks: [field("a", "x"), field("b", "x")] }));
      const { id } = view as { id: string }; // the answer has the view beside ok
      await dana().selects("a", "kept");
      await dana().selects("b", "lost");
      const blocks = [section(), field("a", "x"), field("b", "y")];
      await where().call("views.update", { view_id: id, view: named("One", { blocks }) });

      expect(dana().modal()?.state).toMatchObject({ a: { x: { value: "kept" } }, b: { y: { value: null } } });
    },
  };
}
