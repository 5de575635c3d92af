import { planes } from "../../domain/tunnel-planes";

/** Vehicle types with a compose file. */
export const vehicleTypes = ["copter", "rover"] as const;
type VehicleType = (typeof vehicleTypes)[number];

/** The object that a drone of this type downloads, in the bucket of assets. */
export const composeKey = (vehicleType: VehicleType): string => `compose/${vehicleType}.yaml`;

interface ComposeSettings {
  /** Image of the agent on board, with `mavlink-routerd`; may contain `${REPOSITORY}`. */
  readonly image: string;
  /** Ports of the edge, on the drone plane's hub address. */
  readonly edgePort: number;
  readonly edgeRedisPort: number;
}

/**
 * The Docker Compose file of a drone's computer. It is the same for every drone of the type and holds no secret;
 * `DRONE_IP` and `REPOSITORY` come from the drone's own `.env`.
 */
export const composeFile = (vehicleType: VehicleType, settings: ComposeSettings): string => `\
# Services of the computer on board of a ${vehicleType}. Set beside it, in .env:
#   DRONE_IP    the Address in its WireGuard config, without /32
#   REPOSITORY  from the reply of /drone/activate
# and, where they differ: AUTOPILOT_DEVICE, AUTOPILOT_BAUD, MAVLINK_PORT (the drone's port), LOG_FOLDER.
name: fleet-${vehicleType}

x-service: &service
  restart: unless-stopped
  read_only: true
  cap_drop: [ALL]
  security_opt: ["no-new-privileges:true"]
  # Logs must not fill the SD card.
  logging:
    driver: json-file
    options: { max-size: 10m, max-file: "3" }

services:
  # The autopilot's serial port, for any number of TCP clients: the gateway, through the tunnel, and the agent.
  mavlink-router:
    <<: *service
    image: ${settings.image}
    entrypoint: ["mavlink-routerd"]
    init: true
    command:
      - --tcp-port=${ROUTER_PORT}
      - --log=/logs
      - /dev/autopilot:\${AUTOPILOT_BAUD:-115200}
    user: "0:0"
    devices:
      - \${AUTOPILOT_DEVICE:-/dev/ttyACM0}:/dev/autopilot
    volumes:
      - \${LOG_FOLDER:-./flight-logs}:/logs
    # On the tunnel's address only: any client of this port can fly the drone.
    ports:
      - "\${DRONE_IP:?set DRONE_IP in .env}:\${MAVLINK_PORT:-5001}:${ROUTER_PORT}"

  # Sticks with their dead-man timer, flight records, video messages.
  onboard:
    <<: *service
    image: ${settings.image}
    command: ["node", "dist/cmd/onboard.js"]
    depends_on: [mavlink-router]
    # Time to stop a vehicle that is under manual control.
    stop_grace_period: 10s
    environment:
      DRONE_IP: \${DRONE_IP:?set DRONE_IP in .env}
      REDIS_URL: redis://${planes.drones.hub}:${settings.edgeRedisPort}
      ONBOARD_GATEWAY_URL: http://${planes.drones.hub}:${settings.edgePort}
      ONBOARD_VEHICLE: mavlink-router:${ROUTER_PORT}
      ONBOARD_LOG_FOLDER: /logs
    volumes:
      - \${LOG_FOLDER:-./flight-logs}:/logs:ro
`;

/** Port in the containers' network. */
const ROUTER_PORT = 5760;
