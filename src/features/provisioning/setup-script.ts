/**
 * What sets up a drone's computer, from its activation to its running containers. It holds no secret: the gateway's origin
 * and the activation token are its arguments. All of it is one function, so that a download that breaks off does nothing.
 * It may be run again: a token that was not used stays valid, and the owner's own settings in `.env` stay. `DESTDIR` is a
 * folder in place of the root, for tests.
 */
export const setupScript = String.raw`#!/usr/bin/env bash
# Sets up a drone's computer. Run as root:
#   curl -fsS https://fleet.example.com/api/v1/drone/setup | bash -s -- https://fleet.example.com 0123456789
# The ten digits are the drone's activation token.
set -euo pipefail

fail() {
  echo "$*" >&2
  exit 1
}

set_up() {
  [ $# -eq 2 ] || fail "Usage: bash -s -- <origin of the gateway> <activation token>"
  local origin=$1 token=$2 root=$DESTDIR missing="" program reply config compose
  [ "$(id -u)" -eq 0 ] || fail "Run this as root, for example with sudo."
  for program in curl jq docker wg-quick resolvconf systemctl; do
    command -v "$program" >/dev/null || missing="$missing $program"
  done
  [ -z "$missing" ] || fail "Missing:$missing. Install Docker with Compose, curl, jq, wireguard-tools and openresolv."
  docker compose version >/dev/null 2>&1 || fail "Docker has no Compose. Install docker-compose-plugin."

  # The gateway waits up to 15 s for the drone's tunnel. A refusal says why.
  reply=$(curl -sS --max-time 60 -H "X-Activation-Token: $token" "$origin/api/v1/drone/activate")
  get() { jq -r --arg key "$1" '.[$key] // empty' <<<"$reply"; }
  [ -n "$(get vpn)" ] || fail "The drone was not activated. $(get error)"

  # The links work for 30 seconds and 5 minutes, and the token is used up.
  config=$(curl -fsS --retry 3 "$(get vpn)")
  compose=$(curl -fsS --retry 3 "$(get compose)")
  umask 077
  mkdir -p "$root/etc/wireguard" "$root/opt/fleet" "$root/etc/systemd/system/docker.service.d"
  printf '%s\n' "$config" >"$root/etc/wireguard/drones0.conf"
  # Docker binds the tunnel's address, so it starts after the tunnel.
  printf '[Unit]\nWants=wg-quick@drones0.service\nAfter=wg-quick@drones0.service\n' \
    >"$root/etc/systemd/system/docker.service.d/fleet.conf"
  cd "$root/opt/fleet"
  printf '%s\n' "$compose" >compose.yaml
  touch .env
  sed -i '/^DRONE_IP=/d; /^REPOSITORY=/d' .env
  printf 'DRONE_IP=%s\nREPOSITORY=%s\n' \
    "$(sed -n 's|^Address = \(.*\)/32$|\1|p' <<<"$config")" "$(get repository)" >>.env

  systemctl daemon-reload
  systemctl enable wg-quick@drones0
  systemctl restart wg-quick@drones0
  # A public registry has no password.
  if [ -n "$(get password)" ]; then
    get password | docker login -u "$(get username)" --password-stdin "$(get repository | cut -d/ -f1)"
  fi
  docker compose up -d
  echo "The drone is set up. The console shows it when its autopilot answers."
}

DESTDIR=$(printenv DESTDIR || true)
set_up "$@"
`;
