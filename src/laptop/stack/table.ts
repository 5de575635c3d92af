import type { Ready } from "../ready";

/** What is printed once everything answers: the addresses, and three things to try. */
export function readyTable(ready: Ready, stateFolder: string): string {
  const { gateway, relay, tunnel, jumphost, database, redis, s3, smtp, user, drone_id } = ready;
  const { console = null, janus = null } = ready;
  const rows = Object.entries({ console, gateway, relay, tunnel, jumphost, database, redis, s3, smtp, janus })
    .concat([
      ["user", user && `${user.username}  password ${user.password}`],
      ["drone", drone_id === null ? null : `id ${drone_id}, a simulated copter`],
    ])
    .filter((row): row is [string, string] => row[1] !== null)
    .map(([name, value]) => `  ${name.padEnd(9)} ${value}`);
  const login = JSON.stringify(user);
  const docs = `${gateway}/api/docs/`;
  const things = [
    `  ${"npm run demo".padEnd(docs.length)}  in another terminal: fly a stored mission`,
    `  ${docs}  in a browser: every operation`,
    `  curl -H 'Content-Type: application/json' -d '${login}' ${gateway}/api/v1/login`,
  ];
  return [
    "",
    "Fleet Gateway is ready.",
    "",
    ...rows,
    "",
    "Three things to try:",
    ...things,
    "",
    `Logs and data are in ${stateFolder}. Ctrl-C stops everything.`,
    "",
  ].join("\n");
}
