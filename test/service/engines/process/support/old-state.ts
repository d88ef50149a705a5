import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const container = { pullAlways: false, ports: [], mounts: [] };

/** A state file as the version before migrations wrote it: its schema, without a version number, and what it held. */
export function oldState(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, "state.sqlite"));
  db.exec(`
    create table services (uid text primary key, username text not null, region text not null,
      name text not null, created_at text not null, running integer not null, deleting integer not null,
      definition text not null, unique (username, region, name));
    create table domains (domain text primary key,
      service_uid text not null references services (uid) on delete cascade);
    create table jobs (uid text primary key, username text not null, name text not null,
      created_at text not null, version integer not null, instance text not null, definition text not null,
      started_at text, ended_at text, outcome text, failures integer not null, unique (username, name));
    create table processes (token text primary key, workload_uid text not null, pid integer, started text);
    create table counters (name text primary key, value integer not null);
    insert into counters values ('job version', 7);`);
  const service = {
    size: 1,
    containers: [{ ...container, name: "web", image: "gantry/hello-web" }],
    ports: [{ containerPort: 8080, protocol: "tcp", hostPort: 0 }],
    volumes: [],
    syncTimezone: false,
    domains: ["shop.example.com"],
  };
  db.prepare("insert into services values ('s1', 'dana', 'beijing1', 'web', ?, 1, 0, ?)").run(
    "2026-11-20T10:00:00.000Z",
    JSON.stringify(service),
  );
  db.exec("insert into domains values ('shop.example.com', 's1')");
  const job = (name: string) => ({
    containers: [{ ...container, name, image: "gantry/batch", command: ["1", "--delay", "1"] }],
    volumes: [],
    syncTimezone: false,
  });
  const insert = db.prepare("insert into jobs values (?, 'dana', ?, '2026-11-20T10:00:00.000Z', ?, ?, ?, ?, ?, ?, 0)");
  const began = "2026-11-20T10:00:01.000Z";
  insert.run("j1", "done", 6, "done-bcdfg", JSON.stringify(job("done")), began, "2026-11-20T10:00:02.000Z", "complete");
  insert.run("j2", "cut", 7, "cut-bcdfg", JSON.stringify(job("cut")), began, null, null);
  db.close();
}
