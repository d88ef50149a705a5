import { randomUUID } from "node:crypto";
import type { WebClient } from "@slack/web-api";
import { type Call, type CallDeps, callSlack, type Result } from "./call.ts";
import type { Messenger, OpenView } from "./messenger.ts";

type View = Parameters<WebClient["views"]["open"]>[0]["view"];
type Opening = Parameters<Messenger["openView"]>[0];

/** Forms and Home. */
export function viewing(deps: CallDeps): Pick<Messenger, "openView" | "updateView" | "publishHome"> {
  const call = <Value>(what: Call<Value>): Promise<Result<Value>> => callSlack(deps, what);
  return {
    openView: (opening) => openView(deps, opening),
    updateView: ({ viewId, view, hash }) =>
      call({
        method: "views.update",
        target: viewId,
        isReplacing: true,
        urgency: "background",
        async run(client) {
          const update = { view_id: viewId, view: view as View }; // built by views/
          const { view: updated } = await client.views.update(hash === undefined ? update : { ...update, hash });
          return { viewId, hash: updated?.hash };
        },
      }),
    publishHome: ({ user, view }) =>
      call({
        method: "views.publish",
        target: user,
        isReplacing: true,
        urgency: "background",
        run: async (client) => void (await client.views.publish({ user_id: user, view: view as View })), // built by views/
      }),
  };
}

/** After a lost or late answer the form may be open all the same: it is found by an id of ours, and drawn again. */
async function openView(deps: CallDeps, { triggerId, user, view }: Opening): Promise<Result<OpenView | undefined>> {
  const external_id = randomUUID();
  const named = { ...view, external_id } as View; // built by views/
  const opened = await callSlack(deps, {
    method: "views.open",
    target: user,
    urgency: "interactive",
    run: async (client) => openIn(await client.views.open({ trigger_id: triggerId, view: named })),
  });
  if (opened.ok || opened.failure.kind !== "unsure") return opened;
  const found = await callSlack(deps, {
    method: "views.update",
    target: external_id,
    urgency: "interactive",
    run: async (client) => openIn(await client.views.update({ external_id, view: named })),
  });
  return found.ok ? found : opened;
}

function openIn({ view }: { readonly view?: { readonly id?: string; readonly hash?: string } }): OpenView | undefined {
  return view?.id === undefined ? undefined : { viewId: view.id, hash: view.hash };
}
