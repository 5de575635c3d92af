import { parseArgs } from "node:util";
import { DomainError } from "../domain/errors";
import { rotateDroneKey, rotateUserKey } from "../features/vpn";
import { type AdminCommand, withDatabase } from "./command";
import { droneId } from "./drone-id";

export const command: AdminCommand = {
  usage: "rotate-key (--user EMAIL | --drone ID)",
  summary:
    "Replace the VPN key of the user or the drone, so that earlier client configs, such as that of a lost laptop, stop working.",

  async run(args) {
    const options = { user: { type: "string" }, drone: { type: "string" } } as const;
    const { user, drone } = parseArgs({ args, options }).values;
    const id = droneId(drone);
    if ((user === undefined) === (drone === undefined) || (drone !== undefined && id === undefined))
      throw new Error(`usage: admin ${this.usage}`);
    await withDatabase(async (db) => {
      const rotated =
        user === undefined ? await rotateDroneKey(db, id as number) : await rotateUserKey(db, user);
      if (!rotated) {
        throw new DomainError(
          "not_found",
          user === undefined
            ? `No physical drone has the id ${drone}.`
            : `No user ${user} has a VPN address.`,
        );
      }
      process.stdout.write(
        `${user === undefined ? "drone" : "user"} ${rotated.id} ${rotated.ip} has another VPN key now.\n` +
          "Next, within about a second, where the tunnel service runs: it drops the old key, cuts what runs through it,\n" +
          "and publishes a new client config.\n" +
          (user === undefined ? droneSteps(rotated.id) : userSteps),
      );
    });
  },
};

const userSteps = `Then the user downloads it and puts it in the old one's place:
  GET /api/v1/user/vpn
`;

const droneSteps = (id: number) => `Then its computer needs it. Its owner downloads it and brings it there:
  GET /api/v1/drone/${id}/vpn
or its computer asks itself, with a new activation token:
  admin reissue-activation --drone ${id}
`;
