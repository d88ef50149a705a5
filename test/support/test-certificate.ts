/**
 * A certificate authority and server in one, for names that only a proxy of the tests knows: slack.test, wss.slack.test,
 * files.slack.test, hooks.slack.test, workloads.test and localhost. Valid until 2126; nobody else trusts it.
 */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIB8TCCAZegAwIBAgIUaufiVe2b9JDYJ6gV7O+Pl+AL4LgwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOR2FudHJ5J3MgdGVzdHMwIBcNMjYxMTIyMTg0MjA3WhgPMjEy
NjEwMjkxODQyMDdaMBkxFzAVBgNVBAMMDkdhbnRyeSdzIHRlc3RzMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEaD2crIJG58i0P3Pc8P23DqdlYuiAPrHyi9UJh1MZ
DWp9r9D1L03Zf9OP+ysbEwFMlnGUMz+tfwFgLrRhs+b2haOBujCBtzAdBgNVHQ4E
FgQUQV7FULNajnNaUTHkS1hjupQbDdswHwYDVR0jBBgwFoAUQV7FULNajnNaUTHk
S1hjupQbDdswDwYDVR0TAQH/BAUwAwEB/zBkBgNVHREEXTBbggpzbGFjay50ZXN0
gg53c3Muc2xhY2sudGVzdIIQZmlsZXMuc2xhY2sudGVzdIIQaG9va3Muc2xhY2su
dGVzdIIOd29ya2xvYWRzLnRlc3SCCWxvY2FsaG9zdDAKBggqhkjOPQQDAgNIADBF
AiEA82aPp3rXrVZRMGtApdXavaQmfUKOHaMSlQtpsZBHiRUCIAKcSxxm7o1YdTAj
KQbgrked1XkZK8inRk89ssUtvn6o
-----END CERTIFICATE-----
`;

export const certificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgedLuMweDyeCHihE4
GXUPxtFms1V+1Dvcu/hPBSDgREWhRANCAARoPZysgkbnyLQ/c9zw/bcOp2Vi6IA+
sfKL1QmHUxkNan2v0PUvTdl/04/7KxsTAUyWcZQzP61/AWAutGGz5vaF
-----END PRIVATE KEY-----
`;
