import type { Knex } from "knex";

/** Missions and geofences with their points, in a MAVLink-compatible shape. Degrees and metres. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE missions (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      name text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT missions_name_per_user UNIQUE (user_id, name)
    );

    CREATE TYPE mission_point_type AS ENUM ('base', 'fly', 'safepoint');
    CREATE TABLE mission_points (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      mission_id integer NOT NULL REFERENCES missions (id) ON DELETE CASCADE,
      lat double precision NOT NULL,
      lng double precision NOT NULL,
      altitude double precision NOT NULL,
      type mission_point_type NOT NULL,
      sequence integer NOT NULL,
      label text,
      frame integer NOT NULL DEFAULT 3,
      command integer NOT NULL DEFAULT 16,
      is_current boolean NOT NULL DEFAULT false,
      autocontinue boolean NOT NULL DEFAULT true,
      param1 double precision NOT NULL DEFAULT 0,
      param2 double precision NOT NULL DEFAULT 0,
      param3 double precision NOT NULL DEFAULT 0,
      param4 double precision NOT NULL DEFAULT 0
    );
    CREATE INDEX mission_points_in_order ON mission_points (mission_id, sequence, id);

    CREATE TYPE geofence_type AS ENUM ('polygon', 'circle');
    CREATE TYPE fence_type AS ENUM ('inclusion', 'exclusion');
    CREATE TABLE geofences (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      user_id integer NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      name text NOT NULL,
      type geofence_type NOT NULL,
      fence_type fence_type NOT NULL DEFAULT 'exclusion',
      enabled boolean NOT NULL DEFAULT true,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT geofences_name_per_user UNIQUE (user_id, name)
    );

    CREATE TABLE geofence_points (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      geofence_id integer NOT NULL REFERENCES geofences (id) ON DELETE CASCADE,
      lat double precision NOT NULL,
      lng double precision NOT NULL,
      sequence integer NOT NULL,
      command integer NOT NULL,
      frame integer NOT NULL DEFAULT 3,
      param1 double precision NOT NULL DEFAULT 0,
      param2 double precision NOT NULL DEFAULT 0,
      param3 double precision NOT NULL DEFAULT 0,
      param4 double precision NOT NULL DEFAULT 0
    );
    CREATE INDEX geofence_points_in_order ON geofence_points (geofence_id, sequence, id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE geofence_points;
    DROP TABLE geofences;
    DROP TYPE fence_type;
    DROP TYPE geofence_type;
    DROP TABLE mission_points;
    DROP TYPE mission_point_type;
    DROP TABLE missions;
  `);
}
