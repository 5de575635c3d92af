import { checkLoginCommand } from "./check-login";
import type { AdminCommand } from "./command";
import { createBucketsCommand } from "./create-buckets";
import { createUserCommand } from "./create-user";
import { docsCommand } from "./docs";
import { effectiveConfigCommand } from "./effective-config";
import { grantSubscriptionCommand } from "./grant-subscription";
import { jobsCommand } from "./jobs";
import { keysCommand } from "./keys";
import { makeSecretsCommand } from "./make-secrets";
import { publishComposeCommand } from "./publish-compose";
import { reissueActivationCommand } from "./reissue-activation";
import { rotateKeyCommand } from "./rotate-key";
import { tunnelRoleCommand } from "./tunnel-role";
import { verifyArchiveCommand } from "./verify-archive";

const commands: Readonly<Record<string, AdminCommand>> = {
  "create-user": createUserCommand,
  "grant-subscription": grantSubscriptionCommand,
  "check-login": checkLoginCommand,
  config: effectiveConfigCommand,
  keys: keysCommand,
  jobs: jobsCommand,
  "reissue-activation": reissueActivationCommand,
  "rotate-key": rotateKeyCommand,
  "publish-compose": publishComposeCommand,
  "tunnel-role": tunnelRoleCommand,
  "create-buckets": createBucketsCommand,
  "make-secrets": makeSecretsCommand,
  "verify-archive": verifyArchiveCommand,
  docs: docsCommand,
};

export async function runAdmin([name = "", ...args]: string[]): Promise<void> {
  const command = commands[name];
  if (command) return command.run(args);
  if (name && name !== "help" && name !== "--help")
    throw new Error(`There is no command "${name}".\n\n${usage()}`);
  process.stdout.write(`${usage()}\n`);
}

function usage(): string {
  const lines = Object.values(commands).map(({ usage, summary }) => `  admin ${usage}\n      ${summary}`);
  return ["usage:", ...lines].join("\n");
}
