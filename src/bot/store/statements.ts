// All that the bot reads and writes: one function per statement or transaction, which takes a session first. The store has them
// under these names, over its session.

export { callsOn, countCalls, impliedFor, removeAccount, resealAccount, saveAccount, setRegion } from "./accounts.ts";
export { advance } from "./advance.ts";
export { alertOf, dueNotices, placeAfterRound, placeNotices, scheduleWatching } from "./alerts.ts";
export { addReceivers, auditBatch, auditDelivered, auditFailed } from "./audit/receivers.ts";
export { sealHistory } from "./audit/seal-history.ts";
export { bind, bindingOf, moveChannel, movedChannels, unbind } from "./channels.ts";
export { inspect } from "./database/inspect.ts";
export { planPruning, prune } from "./database/prune.ts";
export { beat, otherReplicas } from "./database/replicas.ts";
export { accept, drop, finishDelivery, isKnown, remember } from "./deliveries.ts";
export { delayDue, dueKinds, endDue, holdDue, renewDue, takeDue, takeFollowed } from "./due.ts";
export { addEvent } from "./events.ts";
export { changesAbout, changeToDraw, completedJobs, findChange as find, waitsFor } from "./find-change.ts";
export { changedSince, history } from "./history.ts";
export { insertChange } from "./insert-change.ts";
export {
  closeWorkspace,
  findInstallation,
  installationById,
  installationOf,
  installationVersions,
  saveOrgWorkspace,
  removeInstallation,
  resealTokens,
  rotated,
  saveInstallation,
  suspectInstallation,
  workspacesOf,
} from "./installations.ts";
export { beginFollow, endFollow, followOf, followsOf, saveFollow, sealedFollow, stopFollow } from "./log-follows.ts";
export { endMutes, mute, mutesOf, unmute } from "./mutes.ts";
export { pendingChanges, waiting } from "./pending.ts";
export { announce, deliverAgain, postDue, postOf, removePost, savePost, showChange } from "./posts.ts";
export { forgetElsewhere, forgetProfile, profilesOf, saveProfiles } from "./profiles.ts";
export { endRound, hint, incidentsOf, keptOf, roundOf, syncRounds } from "./rounds.ts";
export { passAlert } from "./taken-alerts.ts";
export {
  addWatch,
  allWatches,
  findWatch,
  lastPolls,
  loseWatch,
  removeWatch,
  resumeWatch,
  setFileWatches,
  watchesOf,
  watchesOn,
} from "./watches.ts";
