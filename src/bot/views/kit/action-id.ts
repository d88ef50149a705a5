const requestActions = ["approve", "reject", "cancel", "undo", "again", "show", "logs", "look"] as const; // literals
const followActions = ["stop"] as const; // literals
const alertActions = ["take", "handOver", "leave"] as const; // literals
const homeActions = ["refresh", "region", "do", "connect", "previous", "next", "workload"] as const; // literals
const bare = ["more", "dismiss", "formMenu", "moreSettings", "link"] as const; // literals
const pickers = ["service", "job", "any", "instance", "region", "change"] as const; // literals

/** What a menu with options from Gantry lists. */
export type Picker = (typeof pickers)[number];

/** What a click on a button, or a choice in a menu, does. Some of it is in the element's value or the block's id. */
export type Action =
  /** On a request. `isBeside`: the button is on another message than the request's card. `look`: a menu of older messages, whose value says what. */
  | { readonly kind: "request"; readonly act: (typeof requestActions)[number]; readonly isBeside?: boolean }
  /** Runs the Ask in the value, of any verb, as if whoever clicks had typed it. */
  | { readonly kind: "run"; readonly at: number }
  /** The "Cancel" beside a `run`. */
  | { readonly kind: "dismiss" }
  /** Runs the Ask in the value, which only reads. */
  | { readonly kind: "read"; readonly at: number }
  /** The same, answered below the message for whoever clicks: it never replaces the message. */
  | { readonly kind: "readBeside"; readonly verb: string }
  | { readonly kind: "pick"; readonly of: Picker }
  | { readonly kind: "home"; readonly act: (typeof homeActions)[number] }
  /** On a log that is followed, whose id is the value. */
  | { readonly kind: "follow"; readonly act: (typeof followActions)[number] }
  /** Opens the form of a verb with the values in the value. */
  | { readonly kind: "openForm"; readonly verb: string }
  /** The ⋯ menu of a row. Its options are buttons: see `carriedByOption`. */
  | { readonly kind: "more" }
  /** Of older messages: a menu whose options are verbs. Opens their forms about the workload of the menu's row. */
  | { readonly kind: "formMenu" }
  | { readonly kind: "moreSettings" }
  /** On an alert, whose id is the value: whoever clicks is on it, chooses who is, or is no longer on it. */
  | { readonly kind: "alert"; readonly act: (typeof alertActions)[number] }
  /** Opens a web page. Slack reports the click all the same. */
  | { readonly kind: "link" };

/**
 * The `action_id` of an element. Messages keep theirs for as long as Slack keeps the messages, so an id that was posted once
 * is never given another meaning.
 */
export function encodeAction(action: Action): string {
  switch (action.kind) {
    case "request":
      return `change:${action.act}${action.isBeside === true ? ":beside" : ""}`;
    case "run":
      return `run:${action.at}`;
    case "dismiss":
      return "run:cancel";
    case "read":
      return `ask:${action.at}`;
    case "readBeside":
      return `ask:beside:${action.verb}`;
    case "pick":
      return `pick:${action.of}`;
    case "home":
      return `home:${action.act}`;
    case "follow":
      return `follow:${action.act}`;
    case "openForm":
      return `form:open:${action.verb}`;
    case "more":
      return "more";
    case "formMenu":
      return "form:menu";
    case "moreSettings":
      return "form:more";
    case "alert":
      return `alert:${action.act}`;
    case "link":
      return "link";
  }
}

/** Whether it acts on workloads, or reads them, with an account. A request, a follow and an alert know theirs. */
const needsAccount: Readonly<Record<Action["kind"], boolean>> = {
  run: true,
  read: true,
  readBeside: true,
  pick: true,
  openForm: true,
  more: true,
  formMenu: true,
  // Its menus about a workload; see `actionFor`.
  home: false,
  request: false,
  follow: false,
  alert: false,
  dismiss: false,
  moreSettings: false,
  link: false,
};

/**
 * The same id for an element that acts for this account, whoever uses it: `ask:0@gantry`. The first account that an element
 * got stays. Actions that need no account keep their id.
 */
export function actionFor(id: string, account: string): string {
  const action = decodeAction(id);
  if (action === undefined || accountOf(id) !== undefined) return id;
  const isOnWorkload = action.kind === "home" && action.act === "workload";
  return needsAccount[action.kind] || isOnWorkload ? `${id}@${encodeURIComponent(account.toWellFormed())}` : id;
}

/** The account that an element acts for; undefined: that of whoever uses it. */
export function accountOf(id: string): string | undefined {
  const [, account] = splitOnce(id, "@");
  try {
    return account === undefined ? undefined : decodeURIComponent(account);
  } catch {
    // Ids come from outside.
    return account;
  }
}

/** Undefined for what Gantry doesn't make, or no longer makes: an id comes from outside. */
export function decodeAction(id: string): Action | undefined {
  return decoded(splitOnce(id, "@")[0]);
}

/** Every action whose id says all, by this id. */
const fixed: ReadonlyMap<string, Action> = new Map(
  [
    ...requestActions.flatMap((act) => [false, true].map((isBeside): Action => ({ kind: "request", act, isBeside }))),
    ...pickers.map((of): Action => ({ kind: "pick", of })),
    ...homeActions.map((act): Action => ({ kind: "home", act })),
    ...alertActions.map((act): Action => ({ kind: "alert", act })),
    ...followActions.map((act): Action => ({ kind: "follow", act })),
    ...bare.map((kind): Action => ({ kind })),
  ].map((action) => [encodeAction(action), action]),
);

function decoded(id: string): Action | undefined {
  const [, start, end = ""] = /^(run:|ask:beside:|ask:|form:open:)(.*)$/su.exec(id) ?? [];
  if (start === "ask:beside:") return { kind: "readBeside", verb: end };
  if (start === "form:open:") return { kind: "openForm", verb: end };
  if (start === undefined || !/^\d{1,3}$/u.test(end)) return fixed.get(id);
  return { kind: start === "run:" ? "run" : "read", at: Number(end) };
}

function splitOnce(text: string, mark: string): readonly [string, string?] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
