// gantry/hello-web: an HTTP server on each of its PORT variables.
import { createServer, type ServerResponse } from "node:http";
import { argumentsOf, print } from "./program.ts";

const instance = process.env["INSTANCE_NAME"] ?? "unnamed";
const region = process.env["REGION"] ?? "nowhere";
const tag = process.env["IMAGE_TAG"] ?? "1";
const startedAt = new Date().toISOString();

const { values, refuse } = argumentsOf("[--greeting TEXT] [--heartbeat MS]", ["greeting", "heartbeat"]);
const { greeting = "hello", heartbeat = "10000" } = values;
const heartbeatMs = Number(heartbeat);
if (!Number.isInteger(heartbeatMs) || heartbeatMs < 1) refuse("--heartbeat takes a number of milliseconds");
let served = 0;

function answer(response: ServerResponse): void {
  served += 1;
  response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "x-instance": instance });
  response.end(
    `${greeting} from ${instance} in ${region} (version ${tag}, process ${process.pid}, started ${startedAt})\n`,
  );
}

const ports = new Set(
  Object.entries(process.env)
    .filter(([name]) => /^PORT(_\d+)?$/.test(name))
    .map(([, value]) => Number(value)),
);
/** A version that never becomes ready, to see what happens then. */
const isBroken = tag === "broken";
if (isBroken) {
  const complain = (): void => print("error: no answer from the database, trying again", { to: process.stderr });
  complain();
  setInterval(complain, 1_000);
}
const servers = (isBroken ? [] : [...ports]).map((port) => {
  const server = createServer((request, response) => {
    answer(response);
    print(`${request.method} ${request.url} 200`);
  });
  server.on("error", (error) => {
    print(`can't listen on port ${port}: ${error.message}`, { to: process.stderr });
    process.exit(1);
  });
  return server.listen(port, "127.0.0.1", () => print(`listening on port ${port}`));
});
if (ports.size === 0) print("no port mapping, nobody can reach this server");

setInterval(() => {
  print(`heartbeat: ${served} requests served, up ${Math.round(process.uptime())} s`);
}, heartbeatMs);

process.on("SIGTERM", () => {
  print("stopping");
  let open = servers.length;
  if (open === 0) process.exit(0);
  // Requests that came before are answered.
  for (const server of servers) server.close(() => (open -= 1) === 0 && process.exit(0));
});
