import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to connections, which could take one between this look and its use. */
const FIRST = 15_000;
const PORTS = 15_000;

/** A port of 127.0.0.1 that nothing listens on now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * PORTS);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    const listening = once(probe, "listening");
    probe.listen(port, "127.0.0.1");
    await listening;
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
}
