import { DomainError } from "../../domain/errors";
import type { Services } from "../../platform/services";
import type { LinkTarget, TransferRecords } from "../../vehicle";
import { droneOf } from "../drones";
import { endTransfer, insertTransfer, unfinishedTransfers } from "./plan-transfers.store";

/** The records of transfers to the drone of a link; see `TransferRecords`. */
export const transferRecords =
  ({ db, log }: Pick<Services, "db" | "log">) =>
  ({ key }: LinkTarget): TransferRecords => {
    const droneId = droneOf(key);
    return {
      async begin(transfer) {
        try {
          return await insertTransfer(db, droneId, transfer);
        } catch (cause) {
          const message = "The upload could not be recorded, so nothing was sent; try again shortly.";
          throw new DomainError("unavailable", message, { cause });
        }
      },
      async end(id, verified) {
        try {
          await endTransfer(db, id, verified);
        } catch (error) {
          // The drone's next link ends it.
          log.error({ err: error, drone_id: droneId }, "Cannot end the record of an upload");
        }
      },
      async unfinished() {
        const transfers = await unfinishedTransfers(db, droneId);
        if (transfers.length > 0)
          log.warn(
            { drone_id: droneId, kinds: transfers.map(({ kind }) => kind) },
            "An upload to a drone broke off: reading what the drone holds, to put the plan before it back",
          );
        return transfers;
      },
    };
  };
