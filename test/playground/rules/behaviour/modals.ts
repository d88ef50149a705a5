import { expect } from "vitest";
import { input, modal, plain, section, trigger } from "../../support/samples.ts";
import type { Answer, SmallWorld } from "../../support/small-world.ts";

const named = (title: string, more: object = {}) => modal({ title: plain(title), submit: plain(), ...more });

/** Modals: their response actions, and view_closed. */
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
  const closings = (): readonly unknown[] =>
    where()
      .bot.received.map(({ payload }) => payload)
      .filter((payload) => payload["type"] === "view_closed");

  return {
    "ack.empty-closes": async () => {
      await call("views.open", named("One"));
      await call("views.push", named("Two"));
      await dana().submits();
      const below = shown();
      await dana().submits();

      expect(below).toEqual(plain("One"));
      expect(dana().modal()).toBeUndefined();
    },
    "ack.view-answers": async () => {
      await call(
        "views.open",
        named("One", { blocks: [{ ...input(undefined, { optional: true }), block_id: "name" }] }),
      );
      await answering({ response_action: "errors", errors: { name: "taken" } });
      const errors = dana().modal()?.errors;
      await answering({ response_action: "update", view: named("Two") });
      const updated = shown();
      await answering({ response_action: "push", view: named("Three") });
      const pushed = shown();
      await answering({ response_action: "clear" });

      expect([errors, updated, pushed]).toEqual([{ name: "taken" }, plain("Two"), plain("Three")]);
      expect(dana().modal()).toBeUndefined();
    },
    "view.closed": async () => {
      await call("views.open", named("One", { notify_on_close: true, callback_id: "one" }));
      await call("views.push", named("Two"));
      await dana().closes();
      const afterSilent = closings();
      await dana().closes();

      expect(afterSilent).toEqual([]);
      expect(closings()).toMatchObject([{ is_cleared: false, view: { callback_id: "one" } }]);
    },
    "view.cleared": async () => {
      await call("views.open", named("One", { notify_on_close: true, callback_id: "one" }));
      await call("views.push", named("Two", { notify_on_close: true }));
      await dana().dismisses();

      expect(dana().modal()).toBeUndefined();
      expect(closings()).toMatchObject([{ is_cleared: true, view: { callback_id: "one" } }]);
    },
    "view.keeps-input": async () => {
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
