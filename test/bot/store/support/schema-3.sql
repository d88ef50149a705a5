-- A database as Gantry wrote it at schema 3, before words were sealed: J15A4E waits for a vote, 4AH2V6 is done.
-- Only the time at which J15A4E expires was changed.
CREATE TABLE migration (number integer primary key, title text not null, applied_at text not null);
CREATE TABLE "delivery" ("id" text primary key, "received_at" text not null, "sealed" text, "owner" text, "finished_at" text);
CREATE INDEX "delivery_received_at" on "delivery" ("received_at");
CREATE INDEX delivery_unfinished on delivery (owner) where finished_at is null;
CREATE TABLE change (id text primary key, delivery_id text not null, state text not null,
    version integer not null, team_id text not null, requester_id text not null, requester_name text not null,
    channel_id text not null, verb text not null, reason text, op text not null,
    workload_kind text not null, workload_region text not null, workload_name text not null, workload_uid text,
    risk text not null, diff text not null, digest text not null, sealed text not null,
    account_owner text not null, account_username text not null, rule text not null, terms text,
    break_glass integer not null, undo_of text, is_undone integer not null,
    created_at text not null, expires_at text, approved_at text, claimed_at text, settled_at text,
    ending text, health text, owner text, running_key text,
    card_channel text, card_ts text, posts integer not null, drawn_version integer not null, told_seq bigint not null,
    stale integer not null, nowhere integer not null, drawing_token text, drawing_until text, draw_after text);
CREATE UNIQUE INDEX change_delivery_id on change (delivery_id);
CREATE UNIQUE INDEX change_running_key on change (running_key);
CREATE INDEX change_pending on change (team_id, created_at) where state = 'pending';
CREATE INDEX change_open on change (owner) where state = 'approved' or state = 'claimed'
    or (state = 'unknown' and settled_at is null) or (state = 'done' and health is null);
CREATE INDEX change_undrawn on change (created_at) where stale = 1 and nowhere = 0;
CREATE INDEX change_settled_at on change (settled_at);
CREATE TABLE vote (change_id text not null, user_id text not null, user_name text not null,
    number integer not null, voted_at text not null, primary key (change_id, user_id));
CREATE TABLE event (seq integer primary key autoincrement, at text not null, kind text not null, team_id text not null, change_id text,
    user_id text, user_name text, channel_id text, verb text,
    workload_kind text, workload_region text, workload_name text, account text, rule text,
    break_glass integer not null, result text not null, elapsed_ms bigint, reference text);
CREATE INDEX event_team on event (team_id, seq);
CREATE INDEX event_workload on event (team_id, workload_name, seq);
CREATE INDEX event_user on event (team_id, user_id, seq);
CREATE INDEX event_change on event (change_id, seq);
CREATE INDEX event_at on event (at);
CREATE TABLE account (team_id text not null, owner_kind text not null, owner_id text not null,
    username text not null, sealed_token text not null, linked_by text not null, linked_at text not null,
    primary key (team_id, owner_kind, owner_id));
CREATE TABLE replica (id text primary key, alive_until text not null);
CREATE TABLE call_count (username text not null, day text not null, calls integer not null,
    primary key (username, day));
CREATE TABLE binding (team_id text not null, channel_id text not null,
    region text, account text, names text, is_locked integer not null,
    bound_by text not null, bound_by_name text not null, bound_at text not null,
    primary key (team_id, channel_id));
CREATE TABLE person_setting (team_id text not null, user_id text not null, region text not null,
    primary key (team_id, user_id));
insert into "migration" (number, title, applied_at)
  values (1, 'deliveries and runs', '2026-11-22T03:18:02.186Z');
insert into "migration" (number, title, applied_at)
  values (2, 'changes, votes, events, accounts and replicas', '2026-11-22T03:18:02.196Z');
insert into "migration" (number, title, applied_at)
  values (3, 'bindings of channels, settings of people', '2026-11-22T03:18:02.196Z');
insert into "replica" (id, alive_until)
  values ('b1f952a0-8a28-47a5-9ccf-84b3d4421c5d', '2026-11-22T03:19:39.362Z');
insert into "delivery" (id, received_at, sealed, owner, finished_at)
  values ('1795317534460.1.54b3d0ab390cdf6db151db9ea40094ca', '2026-11-22T03:18:54.469Z', null, null, '2026-11-22T03:18:54.580Z');
insert into "delivery" (id, received_at, sealed, owner, finished_at)
  values ('1795317537259.2.b71b6a853415e5a837972ac796d0b158', '2026-11-22T03:18:57.263Z', null, null, '2026-11-22T03:18:59.887Z');
insert into "change" (id, delivery_id, state, version, team_id, requester_id, requester_name, channel_id, verb, reason, op, workload_kind, workload_region, workload_name, workload_uid, risk, diff, digest, sealed, account_owner, account_username, rule, terms, break_glass, undo_of, is_undone, created_at, expires_at, approved_at, claimed_at, settled_at, ending, health, owner, running_key, card_channel, card_ts, posts, drawn_version, told_seq, stale, nowhere, drawing_token, drawing_until, draw_after)
  values ('J15A4E', '1795317534460.1.54b3d0ab390cdf6db151db9ea40094ca', 'pending', 1, 'T0PLAYGR', 'U0DANA', 'Dana Reyes', 'C0OPS', 'restart', 'from-before', 'restartService', 'service', 'beijing1', 'web', 'f0ea9346-5e29-4bac-b697-6e75331e8a84', 'disruptive', '["a stop and a new start of every instance"]', '70768135ea87c18dc1ba7c9f4c974113aaf354f19a1b1c6b4c4d77783a0a66c4', 'g1.k6af8ce56.rRwlJoB3vKQq3UD3EkQmGfGBmNSv3-IaePV0s7xIDtajEMAW4F62Os8KhE0BGsEoOpX4o2jFVw5k-mpIv5aAq-HHAgn6tO59HigGI9PEgMMeOT_dMPAWI1NN4zp9MaRokAG6Xh333Kp2ZdIiQXMnjeHhs9Equ4s2ranhHTCQerbC8nwwroqSGCPai5mjpn4NpZ3JSYV8rwR3xmhyFm26x3uOm2dDp4_P3A4WSImyA3MFPpLcjC4N2CVo41jX8YNf-yhuQi7e8oL9lR4RmF9czRprnhRGqv1ZcFfqozgUbuzy0EE02D8lBkcpY3A4EDHQbpCjA7kxM8vQC0pUn1PE_HZ7AIn7yD8VmmKLFOsw8TkjJxc9D7ticEibVRMPBqzVAr8dVzNLwdifoF8_PfOlul1xx6Z4xIrSLCaqr9xjZQfWxXH_9UUfgWYwFXdjZ2ixXZMAqO4gSHtziHosTgiST76ZRLfwu0bHwstD1Ki7iBhARx1lGgjgRBOYY4Q-OqWOfopOfkBhLzOQe29-3hRISs8Q221QgYstEABg60Mkr-BngFYfwB-njRtbtge_gJ8-lhxs_l8viAwecEwR10zfevYQNzHJLMVUnZ1kjZcOFJlXgVjxbOZVd3DasW3SXHtlXmLU-IKk8DBRLJyXlhsIpHrJdQPyA3lRSwIf9gQo54dfBtXguBLgDXEq73fzh-iF9gLRSrLHo9NdArPpzpRIv7hc2wMiqXIvFKpPZue_dHSqDu9gtHttgR52oxPDHbHO94Qav8Y6wUh17ZozedZGZfEdhb7yjmBIU9XmlDsF1pedI-nVq0gwRu7b2AhwqVh_A5EDknuJ86hyA1VLOvqYXSkq3EqaK7AAX2M', '{"kind":"workspace"}', 'gantry', 'one more full member for what interrupts or deletes', '{"votes":1,"from":{"users":[],"groups":[],"channelMembers":true},"selfApproval":false,"reasonRequired":false,"expiresMs":3600000,"mention":"groups"}', 0, null, 0, '2026-11-22T03:18:54.538Z', '9999-12-31T00:00:00.000Z', null, null, null, null, null, null, null, 'C0OPS', '1795317534.565000', 1, 1, 1, 0, 0, null, null, null);
insert into "change" (id, delivery_id, state, version, team_id, requester_id, requester_name, channel_id, verb, reason, op, workload_kind, workload_region, workload_name, workload_uid, risk, diff, digest, sealed, account_owner, account_username, rule, terms, break_glass, undo_of, is_undone, created_at, expires_at, approved_at, claimed_at, settled_at, ending, health, owner, running_key, card_channel, card_ts, posts, drawn_version, told_seq, stale, nowhere, drawing_token, drawing_until, draw_after)
  values ('4AH2V6', '1795317537259.2.b71b6a853415e5a837972ac796d0b158', 'done', 4, 'T0PLAYGR', 'U0DANA', 'Dana Reyes', 'C0OPS', 'scale', null, 'updateService', 'service', 'beijing1', 'web', 'f0ea9346-5e29-4bac-b697-6e75331e8a84', 'routine', '["instances 2 → 3"]', '6796f9426a75ca4dd6eb76c077e7ffd85918bc67279e7d4b657f871bafddec1e', 'g1.k6af8ce56.rRwlJnTV_i2vJZv8aI8MSP4sSadi8OW0KO8Wlh5CFd2HG8puQyvTfp_0pgq-1eNt8c7TClW8V79BNBUtOXnV2QO6Fz5go5zuaxSLk3xMIExXbRrBgT7kh_NGlM7OCF0zb4YSV7v9EqXxy2uqot-ZYpVns5dd8gGhlYRV3Vvue25uM-aGxhPScY8yKnsso_brDMoGjqudsBz1qpCkQv8-jmXAVrnkPw8aYV7xI8CCxgs56Pw1z6I2foJmTSL5GKiZPdR59U6PwN3_MPV0P9yVcWUFKdIPPDQPSYrc3IeSj14j5zA1qykpHulVTayiR0_zIWmmz6SiG-YNbkFiFG6nwo3g-qroE5QzxBnCZJes7GRuk0SCGfvyFNzrROIn0G7REoYpVulQzzH5KyxVAPSqBcUI-MPxOVJjmR77ygHys72oY39uPAPifkwYtYd43-F7T3O9oOZyaWjT1lzFb5p7Cd1_b649ln7qIWMUFO77KdQnbViZ-_PBWF6wI2sTxV222_JyV4E-GqDwB50GtaAT-HGgsCChjSbhuJ1WY9bjG2nmnqRzJNLJWZ8shrS9f10x82t1uUSzZXk6kT1sKqXmLABRW-n9AiZ5wHllbATHv4wkfqim6Dxk7mguRhtRifzmmASHSIm2yoiKRAyl0ntrOw4IbkcQQf4zL1l1LWt65eHXVMsPOLnFbax0MBBClSWJ1jC-iwRi5a3sNKXukAa8xdK3XrlW_MIBuH4Rp1yDL33O1ooTfGFIM0uYzyRepceoPN-07HL4aSy-N17he7AltxnFOMJTUma8iEjEtZQU5sHBdmo60i-qJOH7Hrl4iGltJxGSO2YZI4FskJnJBF-mcb0VippLPTsxnZo', '{"kind":"workspace"}', 'gantry', 'full members do what hurts nobody', null, 0, null, 0, '2026-11-22T03:18:57.274Z', null, '2026-11-22T03:18:57.274Z', '2026-11-22T03:18:57.278Z', '2026-11-22T03:18:57.763Z', '{"kind":"run","outcome":{"kind":"done","after":{"uid":"f0ea9346-5e29-4bac-b697-6e75331e8a84","status":"Updating","size":3,"memoryMiB":[256],"domains":[]},"alsoMoved":[]}}', '{"kind":"reached","line":"3 instances run, 2 s later","excerpt":[]}', 'b1f952a0-8a28-47a5-9ccf-84b3d4421c5d', null, 'C0OPS', '1795317537.813000', 1, 4, 4, 0, 0, null, null, null);
insert into "event" (seq, at, kind, team_id, change_id, user_id, user_name, channel_id, verb, workload_kind, workload_region, workload_name, account, rule, break_glass, result, elapsed_ms, reference)
  values (1, '2026-11-22T03:18:54.543Z', 'requested', 'T0PLAYGR', 'J15A4E', 'U0DANA', 'Dana Reyes', 'C0OPS', 'restart', 'service', 'beijing1', 'web', 'gantry', 'one more full member for what interrupts or deletes', 0, 'a stop and a new start of every instance; reason: from-before', null, null);
insert into "event" (seq, at, kind, team_id, change_id, user_id, user_name, channel_id, verb, workload_kind, workload_region, workload_name, account, rule, break_glass, result, elapsed_ms, reference)
  values (2, '2026-11-22T03:18:57.274Z', 'requested', 'T0PLAYGR', '4AH2V6', 'U0DANA', 'Dana Reyes', 'C0OPS', 'scale', 'service', 'beijing1', 'web', 'gantry', 'full members do what hurts nobody', 0, 'instances 2 → 3', null, null);
insert into "event" (seq, at, kind, team_id, change_id, user_id, user_name, channel_id, verb, workload_kind, workload_region, workload_name, account, rule, break_glass, result, elapsed_ms, reference)
  values (3, '2026-11-22T03:18:57.278Z', 'claimed', 'T0PLAYGR', '4AH2V6', null, null, 'C0OPS', 'scale', 'service', 'beijing1', 'web', 'gantry', 'full members do what hurts nobody', 0, 'sent to the service', 3, null);
insert into "event" (seq, at, kind, team_id, change_id, user_id, user_name, channel_id, verb, workload_kind, workload_region, workload_name, account, rule, break_glass, result, elapsed_ms, reference)
  values (4, '2026-11-22T03:18:57.764Z', 'done', 'T0PLAYGR', '4AH2V6', null, null, 'C0OPS', 'scale', 'service', 'beijing1', 'web', 'gantry', 'full members do what hurts nobody', 0, 'took effect', 463, null);
