import type { NewHistoryEvent } from "../../changes/history-event.ts";
import type { InstallationRows } from "../../workflow/access/installation.ts";
import type { AllWatching } from "../../workflow/ports.ts";
import type { AuditRows, Store } from "../../store/store.ts";

/** What concerns all workspaces: only the sweep and the installer have it. */
type ForAll =
  | keyof InstallationRows
  | "beat"
  | "planPruning"
  | "prune"
  | "inspect"
  | "waiting"
  | "otherReplicas"
  | "movedChannels"
  | "forgetElsewhere"
  | "dueKinds"
  | "takeDue"
  | "renewDue"
  | "endDue"
  | "delayDue"
  | keyof AllWatching
  | keyof AuditRows
  | "close";

/** The store as one workspace sees it. */
export type WorkspaceStore = Omit<Store, ForAll>;

type OfTeam = { readonly teamId: string };

/**
 * The store without the rows of other workspaces: an id of theirs finds nothing, and a question about them throws,
 * because nothing that is asked for one workspace may lead there.
 */
export function workspaceStore(store: Store, teamId: string): WorkspaceStore {
  const own = <Value extends OfTeam>(value: Value): Value => {
    if (value.teamId !== teamId) throw new Error(`something of another workspace was asked for in ${teamId}`);
    return value;
  };
  const ownEvent = <Event extends NewHistoryEvent | undefined>(event: Event): Event => {
    if (event !== undefined) own(event);
    return event;
  };
  const ownId = (id: string): string => own({ teamId: id }).teamId;
  return {
    ...ofDeliveries(store),
    accept: async (delivery) => store.accept(own(delivery)),
    finishDelivery: async (due) => store.finishDelivery(due),
    insertChange: async (change, event) => store.insertChange(own(change), own(event)),
    find: (key) => store.find(key, teamId),
    advance: async (id, step, event) =>
      store.advance(typeof id === "string" ? { id, teamId } : own(id), step, ownEvent(event)),
    changedSince: async (change) => store.changedSince(own(change)),
    waitsFor: async (change) => store.waitsFor(own(change)),
    note: async (event) => store.note(own(event)),
    changeToDraw: async (id, hasThread) => store.changeToDraw(own(id), hasThread),
    showChange: async (id) => store.showChange(own(id)),
    pendingChanges: async (id) => store.pendingChanges(ownId(id)),
    history: async (query) => store.history(own(query)),
    impliedFor: async (seeker) => store.impliedFor(own(seeker)),
    accountsFor: async (seeker) => store.accountsFor(own(seeker)),
    saveAccount: async (account, event) => store.saveAccount(own(account), own(event)),
    removeAccount: async (id, owner, event) => store.removeAccount(ownId(id), owner, own(event)),
    resealAccount: async (account, sealed) => store.resealAccount(own(account), sealed),
    bindingOf: async (id, channelId) => store.bindingOf(ownId(id), channelId),
    bind: async (channel, binding, event) => store.bind(own(channel), binding, own(event)),
    unbind: async (channel, event) => store.unbind(own(channel), own(event)),
    moveChannel: async (move) => store.moveChannel(own(move)),
    setRegion: async (id, userId, region) => store.setRegion(ownId(id), userId, region),
    addWatch: async (watch, limits, event) => store.addWatch(own(watch), limits, own(event)),
    removeWatch: async (id, event) => store.removeWatch(own(id), own(event)),
    loseWatch: async (id, { why, event }) => store.loseWatch(own(id), { why, event: own(event) }),
    resumeWatch: async (id, event) => store.resumeWatch(own(id), own(event)),
    completedJobs: async (where) => store.completedJobs(own(where)),
    createdJobs: async (where) => store.createdJobs(own(where)),
    lookNow: async (id) => store.lookNow(own(id)),
    lastLooks: async (id) => store.lastLooks(ownId(id)),
    findWatch: async (id) => store.findWatch(own(id)),
    holdDue: async (due, payload) => store.holdDue(own(due), payload),
    roundOf: async (due) => store.roundOf(own(due)),
    setFileWatches: async (id, watches) => store.setFileWatches(ownId(id), watches.map(own)),
    allWatches: async (id = teamId) => store.allWatches(ownId(id)),
    watchesOf: async (where) => store.watchesOf(own(where)),
    mute: async (mute, event) => store.mute(own(mute), own(event)),
    unmute: async (mute, event) => store.unmute(own(mute), own(event)),
    mutesOf: async (id) => store.mutesOf(ownId(id)),
    watchesOn: async (list, jobsRegion) => store.watchesOn(own(list), jobsRegion),
    hint: async (list) => store.hint(own(list)),
    keptOf: async (list) => store.keptOf(own(list)),
    incidentsOf: async (list, withinMs) => store.incidentsOf(own(list), withinMs),
    endRound: async (round, result) => {
      for (const incident of result.incidents) own(incident);
      return store.endRound(own(round), result);
    },
    dueNotices: async (place) => store.dueNotices(own(place)),
    placeNotices: async (placing) => store.placeNotices(own(placing)),
    alertOf: async (id) => store.alertOf(own(id)),
    postOf: async (post) => store.postOf(own(post)),
    savePost: async (due, saved) => store.savePost(own(due), saved),
    announce: async (id, announcement) => store.announce(ownId(id), announcement),
    postDue: async (due, post, next) => store.postDue(own(due), own(post), next),
    deliverAgain: async (due) => store.deliverAgain(own(due)),
    removePost: async (due) => store.removePost(own(due)),
    takeAlert: async (id, who, event) => store.takeAlert(own(id), who, own(event)),
    beginFollow: async (follow) => store.beginFollow(own(follow)),
    followOf: async (due) => store.followOf(own(due)),
    saveFollow: async (due, saved) => store.saveFollow(own(due), saved),
    endFollow: async (due, head) => store.endFollow(own(due), head && own(head)),
    stopFollow: async (id, by) => store.stopFollow(own(id), by),
    sealedFollow: async (id) => store.sealedFollow(own(id)),
    followsOf: async (wanted) => store.followsOf(own(wanted)),
    profilesOf: async (id, userIds) => store.profilesOf(ownId(id), userIds),
    saveProfiles: async (id, profiles) => store.saveProfiles(ownId(id), profiles),
    forgetProfile: async (id, userId) => store.forgetProfile(ownId(id), userId),
    countCalls: async (of, counts) => store.countCalls(own(of), counts),
    callsOn: async (of) => store.callsOn(own(of)),
  };
}

/** Found by Slack's ids of deliveries, which are unique. */
function ofDeliveries(store: Store) {
  const { remember, isKnown, drop, sendWithinMs, isOpen, isReachable } = store;
  return { remember, isKnown, drop, sendWithinMs, isOpen, isReachable };
}
