import type { Knex } from "knex";

/** A waypoint's yaw may be left to the vehicle: null. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("ALTER TABLE mission_points ALTER COLUMN param4 DROP NOT NULL");
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw("UPDATE mission_points SET param4 = 0 WHERE param4 IS NULL");
  await knex.raw("ALTER TABLE mission_points ALTER COLUMN param4 SET NOT NULL");
}
