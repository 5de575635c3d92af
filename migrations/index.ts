import type { Knex } from "knex";
import * as accounts from "./0001_accounts";
import * as plans from "./0002_plans";
import * as drones from "./0003_drones";
import * as changeNotifications from "./0004_change_notifications";
import * as executions from "./0005_executions";
import * as billing from "./0006_billing";
import * as videoRooms from "./0007_video_rooms";
import * as calendar from "./0008_calendar";
import * as simulation from "./0009_simulation";
import * as unknownOutcomes from "./0010_unknown_outcomes";
import * as revokedTokens from "./0011_revoked_tokens";
import * as pendingOrders from "./0012_pending_orders";
import * as countChanges from "./0013_count_changes";
import * as passwordNotifications from "./0014_password_notifications";
import * as assetVersions from "./0015_asset_versions";
import * as uploadQuotas from "./0016_upload_quotas";
import * as mailsAndTokens from "./0017_mails_and_tokens";
import * as restingAddresses from "./0019_resting_addresses";
import * as simulatedPorts from "./0020_simulated_ports";

/** Every migration under the name that the database remembers it by. Names never change once released. */
const migrations: Readonly<Record<string, Knex.Migration>> = {
  "0001_accounts": accounts,
  "0002_plans": plans,
  "0003_drones": drones,
  "0004_change_notifications": changeNotifications,
  "0005_executions": executions,
  "0006_billing": billing,
  "0007_video_rooms": videoRooms,
  "0008_calendar": calendar,
  "0009_simulation": simulation,
  "0010_unknown_outcomes": unknownOutcomes,
  "0011_revoked_tokens": revokedTokens,
  "0012_pending_orders": pendingOrders,
  "0013_count_changes": countChanges,
  "0014_password_notifications": passwordNotifications,
  "0015_asset_versions": assetVersions,
  "0016_upload_quotas": uploadQuotas,
  "0017_mails_and_tokens": mailsAndTokens,
  "0019_resting_addresses": restingAddresses,
  "0020_simulated_ports": simulatedPorts,
};

/** The same list from TypeScript and from the compiled output: names carry no file extension. */
export const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: async () => Object.keys(migrations),
  getMigrationName: (name) => name,
  getMigration: async (name) => migrations[name] as Knex.Migration,
};
