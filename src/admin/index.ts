import type { AdminCommand } from "./command";

/** Each is loaded when it is run: all of them take a second. */
const modules: Readonly<Record<string, () => { command: AdminCommand }>> = {
  "create-user": () => require("./create-user"),
  "grant-subscription": () => require("./grant-subscription"),
  config: () => require("./effective-config"),
  keys: () => require("./keys"),
  jobs: () => require("./jobs"),
  "reissue-activation": () => require("./reissue-activation"),
  "rotate-key": () => require("./rotate-key"),
  "publish-compose": () => require("./publish-compose"),
  "tunnel-role": () => require("./tunnel-role"),
  "create-buckets": () => require("./create-buckets"),
  "make-secrets": () => require("./make-secrets"),
  "verify-archive": () => require("./verify-archive"),
  sql: () => require("./sql"),
  docs: () => require("./docs"),
};

export async function runAdmin([name = "", ...args]: string[]): Promise<void> {
  const load = modules[name];
  if (load) return load().command.run(args);
  if (name && name !== "help" && name !== "--help")
    throw new Error(`There is no command "${name}".\n\n${usage()}`);
  process.stdout.write(`${usage()}\n`);
}

function usage(): string {
  const lines = Object.values(modules).map((load) => {
    const { usage, summary } = load().command;
    return `  admin ${usage}\n      ${summary}`;
  });
  return ["usage:", ...lines].join("\n");
}
