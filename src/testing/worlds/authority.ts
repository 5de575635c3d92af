import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** PEM texts: a CA's certificate, and a server's key and certificate for 127.0.0.1. */
interface TestAuthority {
  readonly ca: string;
  readonly key: string;
  readonly cert: string;
}

/** A new certificate authority, valid for two days, made with openssl. */
export function testAuthority(): TestAuthority {
  const folder = mkdtempSync(join(tmpdir(), "authority-"));
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  const fresh = ["-newkey", "rsa:2048", "-nodes"];
  try {
    writeFileSync(join(folder, "names"), "subjectAltName=IP:127.0.0.1");
    openssl(
      "req",
      "-x509",
      ...fresh,
      "-days",
      "2",
      "-subj",
      "/CN=test",
      "-keyout",
      "ca.key",
      "-out",
      "ca.crt",
    );
    openssl("req", ...fresh, "-subj", "/CN=server", "-keyout", "tls.key", "-out", "tls.csr");
    const signed = [
      "-CA",
      "ca.crt",
      "-CAkey",
      "ca.key",
      "-CAcreateserial",
      "-days",
      "2",
      "-extfile",
      "names",
    ];
    openssl("x509", "-req", "-in", "tls.csr", ...signed, "-out", "tls.crt");
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    return { ca: read("ca.crt"), key: read("tls.key"), cert: read("tls.crt") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
