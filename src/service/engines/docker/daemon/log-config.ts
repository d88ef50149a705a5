/**
 * Where the daemon keeps the output until Gantry stored it, whatever the machine's default is: in files of limited size
 * (Podman keeps one). The daemon deletes the oldest without waiting for a reader.
 */
export const LOG_CONFIG = { Type: "json-file", Config: { "max-size": "50m", "max-file": "2" } };
