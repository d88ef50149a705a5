import type { Row, Steps } from "./steps.ts";
import { home, input, modal, plain, publish, section, trigger } from "../../support/samples.ts";

/** For each rule about views: a step that keeps it and one that breaks it. */
export function viewRows(steps: Steps) {
  const { world, openModal, submit, search } = steps;
  return {
    "view.submit-needed": {
      error: "invalid_arguments",
      kept: () => openModal({ blocks: [input()], submit: plain() }),
      broken: () => openModal({ blocks: [input()] }),
    },
    "view.focus": {
      error: "invalid_arguments",
      kept: () => publish(world, input({ type: "plain_text_input", focus_on_load: true }), input()),
      broken: () =>
        publish(
          world,
          input({ type: "plain_text_input", focus_on_load: true }),
          input({ type: "plain_text_input", focus_on_load: true }),
        ),
    },
    "view.known": {
      error: "not_found",
      kept: async () => world.call("views.update", { view_id: (await openModal())["id"], view: modal() }),
      broken: () => world.call("views.update", { view_id: "V404", view: modal() }),
    },
    "view.hash": {
      error: "hash_conflict",
      kept: async () => {
        const { id, hash } = await openModal();
        return world.call("views.update", { view_id: id, hash, view: modal() });
      },
      broken: async () => {
        const { id, hash } = await openModal();
        await world.call("views.update", { view_id: id, hash, view: modal() });
        return world.call("views.update", { view_id: id, hash, view: modal() });
      },
    },
    "view.external-id-unique": {
      error: "duplicate_external_id",
      kept: () => openModal({ external_id: "one" }),
      broken: async () => {
        await world.call("views.publish", { user_id: "U0ALEX", view: { ...home(section()), external_id: "two" } });
        return openModal({ external_id: "two" });
      },
    },
    "view.answer": {
      error: "invalid_answer",
      kept: () => submit({ response_action: "update", view: modal() }),
      broken: () => submit({ response_action: "close" }),
    },
    "view.error-block": {
      error: "invalid_answer",
      kept: () => submit({ response_action: "errors", errors: { name: "taken" } }),
      broken: () => submit({ response_action: "errors", errors: { nmae: "taken" } }),
    },
    "trigger.known": {
      error: "invalid_trigger_id",
      kept: async () => world.call("views.open", { trigger_id: await trigger(world), view: modal() }),
      broken: () => world.call("views.open", { trigger_id: "1.2.3", view: modal() }),
    },
    "trigger.fresh": {
      error: "expired_trigger_id",
      kept: async () => {
        const id = await trigger(world);
        world.pass(3000);
        return world.call("views.open", { trigger_id: id, view: modal() });
      },
      broken: async () => {
        const id = await trigger(world);
        world.pass(3001);
        return world.call("views.open", { trigger_id: id, view: modal() });
      },
    },
    "trigger.once": {
      error: "exchanged_trigger_id",
      kept: async () => world.call("views.open", { trigger_id: await trigger(world), view: modal() }),
      broken: async () => {
        const id = await trigger(world);
        await world.call("views.open", { trigger_id: id, view: modal() });
        return world.call("views.open", { trigger_id: id, view: modal() });
      },
    },
    "select.source": {
      error: "invalid_options",
      kept: () => search({ options: [] }),
      broken: () => search({}),
    },
    "options.answer": {
      error: "invalid_options",
      kept: () => search({ options: [] }),
      broken: () => search(undefined),
    },
  } satisfies Record<string, Row>;
}
