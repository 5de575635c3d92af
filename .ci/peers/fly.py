"""Flies an ArduPilot copter as a ground station would: uploads a mission, reads it back, arms, takes off, flies the
mission and waits for the landing. Prints what it saw as JSON.

    fly.py tcp:HOST:PORT
"""

import json
import sys
import time

from pymavlink import mavutil

TIMEOUT_SECONDS = 30
mav = mavutil.mavlink
link = mavutil.mavlink_connection(sys.argv[1], source_system=255, autoreconnect=False)


def wait(kinds, fits=lambda message: True):
    deadline = time.time() + TIMEOUT_SECONDS
    while time.time() < deadline:
        link.mav.heartbeat_send(mav.MAV_TYPE_GCS, mav.MAV_AUTOPILOT_INVALID, 0, 0, 0)
        message = link.recv_match(type=kinds, blocking=True, timeout=1)
        if message is not None and fits(message):
            return message
    sys.exit(f"no {kinds} came within {TIMEOUT_SECONDS} s")


def command(number, *params):
    values = [*params, *[0] * (7 - len(params))]
    link.mav.command_long_send(link.target_system, link.target_component, number, 0, *values)
    return wait("COMMAND_ACK", lambda ack: ack.command == number).result


link.wait_heartbeat(timeout=TIMEOUT_SECONDS)
link.target_component = 1
command(mav.MAV_CMD_SET_MESSAGE_INTERVAL, 33, 50_000)
here = wait("GLOBAL_POSITION_INT", lambda position: position.lat != 0)
plan = [
    (mav.MAV_CMD_NAV_WAYPOINT, mav.MAV_FRAME_GLOBAL, here.lat, here.lon, here.alt / 1000),
    (mav.MAV_CMD_NAV_TAKEOFF, mav.MAV_FRAME_GLOBAL_RELATIVE_ALT, 0, 0, 15),
    (mav.MAV_CMD_NAV_WAYPOINT, mav.MAV_FRAME_GLOBAL_RELATIVE_ALT, here.lat + 3000, here.lon, 15),
    (mav.MAV_CMD_NAV_RETURN_TO_LAUNCH, mav.MAV_FRAME_GLOBAL_RELATIVE_ALT, 0, 0, 0),
]
link.mav.mission_count_send(link.target_system, 1, len(plan), mav.MAV_MISSION_TYPE_MISSION)
while True:
    asked = wait(["MISSION_REQUEST", "MISSION_REQUEST_INT", "MISSION_ACK"])
    if asked.get_type() == "MISSION_ACK":
        upload = asked.type
        break
    number, frame, x, y, z = plan[asked.seq]
    link.mav.mission_item_int_send(
        link.target_system, 1, asked.seq, frame, number, 0, 1, 0, 0, 0, 0, x, y, z, mav.MAV_MISSION_TYPE_MISSION
    )

link.mav.mission_request_list_send(link.target_system, 1, mav.MAV_MISSION_TYPE_MISSION)
count = wait("MISSION_COUNT").count
read_back = []
for seq in range(count):
    link.mav.mission_request_int_send(link.target_system, 1, seq, mav.MAV_MISSION_TYPE_MISSION)
    item = wait("MISSION_ITEM_INT", lambda item: item.seq == seq)
    read_back.append([item.command, item.x, item.y, item.z])
link.mav.mission_ack_send(link.target_system, 1, mav.MAV_MISSION_ACCEPTED, mav.MAV_MISSION_TYPE_MISSION)

guided = command(mav.MAV_CMD_DO_SET_MODE, mav.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED, 4)
armed = command(mav.MAV_CMD_COMPONENT_ARM_DISARM, 1)
takeoff = command(mav.MAV_CMD_NAV_TAKEOFF, 0, 0, 0, 0, 0, 0, 10)
top = wait("GLOBAL_POSITION_INT", lambda position: position.relative_alt > 9500).relative_alt
auto = command(mav.MAV_CMD_DO_SET_MODE, mav.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED, 3)
reached = wait("MISSION_ITEM_REACHED", lambda item: item.seq == 2).seq
wait("HEARTBEAT", lambda beat: beat.type != mav.MAV_TYPE_GCS and not beat.base_mode & mav.MAV_MODE_FLAG_SAFETY_ARMED)
print(json.dumps({
    "upload": upload, "read_back": read_back, "guided": guided, "armed": armed, "takeoff": takeoff,
    "top": top, "auto": auto, "reached": reached,
}))
