"""A second ground station at a vehicle: reads what the vehicle says, and asks it on its own.

    witness.py PORT

Requests come as lines of JSON on standard input, {"id": 1, "do": "param", "name": "FENCE_ENABLE"}; each is answered by
a line {"id": 1, "is": …} or {"id": 1, "error": "…"}. Times are seconds since 1970.
"""

import collections
import itertools
import json
import math
import queue
import random
import struct
import sys
import threading
import time

from pymavlink import mavutil

mav = mavutil.mavlink
STATION = 254
# Kinds that tests look back at. Of the others the last is kept.
KEPT = (
    "HEARTBEAT",
    "GLOBAL_POSITION_INT",
    "MISSION_CURRENT",
    "MISSION_ITEM_REACHED",
    "SERVO_OUTPUT_RAW",
    "STATUSTEXT",
    "SYS_STATUS",
)
KEPT_SECONDS = 180
ATTEMPTS = 5
# Hz, beside what the vehicle sends unasked.
RATES = {
    "HEARTBEAT": 5,
    "GLOBAL_POSITION_INT": 10,
    "SYS_STATUS": 2,
    "MISSION_CURRENT": 5,
    "SERVO_OUTPUT_RAW": 10,
}


def plain(value):
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, (bytes, bytearray)):
        return list(value)
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value


def fields(message):
    found = {name: plain(getattr(message, name)) for name in message.get_fieldnames()}
    return {"type": message.get_type(), "at": message.at, **found}


class Vehicle:
    def __init__(self, port):
        # A simulator that boots resets the connection, and one that is killed does.
        self.link = mavutil.mavlink_connection(
            f"tcp:127.0.0.1:{port}", source_system=STATION, source_component=190, autoreconnect=True
        )
        self.kept = {kind: collections.deque() for kind in KEPT}
        self.latest = {}
        self.waiting = []
        self.lock = threading.Lock()
        self.system = None
        self.holds_sticks = False
        # Sticks come from the station that ArduPilot takes them of.
        self.pilot = mav.MAVLink(None, srcSystem=255, srcComponent=190)
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=self.beat, daemon=True).start()
        threading.Thread(target=self.steer, daemon=True).start()

    def read(self):
        while True:
            try:
                message = self.link.recv_msg()
            except OSError:
                time.sleep(0.2)
                continue
            if message is None:
                self.link.select(0.2)
                continue
            kind = message.get_type()
            if kind == "BAD_DATA":
                continue
            if kind == "HEARTBEAT" and message.autopilot != mav.MAV_AUTOPILOT_INVALID:
                self.system = self.system or message.get_srcSystem()
            if not self.system or message.get_srcSystem() != self.system or message.get_srcComponent() != 1:
                continue
            message.at = time.time()
            with self.lock:
                self.latest[kind] = message
                if kind in self.kept:
                    kept = self.kept[kind]
                    kept.append(message)
                    while kept[0].at < message.at - KEPT_SECONDS:
                        kept.popleft()
                for kinds, found in self.waiting:
                    if kind in kinds:
                        found.put(message)

    def beat(self):
        while True:
            try:
                self.link.mav.heartbeat_send(mav.MAV_TYPE_GCS, mav.MAV_AUTOPILOT_INVALID, 0, 0, 0)
                if self.system is not None and not self.since("SERVO_OUTPUT_RAW", time.time() - 2):
                    for name, hertz in RATES.items():
                        number = getattr(mav, f"MAVLINK_MSG_ID_{name}")
                        self.send_command(mav.MAV_CMD_SET_MESSAGE_INTERVAL, [number, 1e6 / hertz])
            except OSError:
                pass
            time.sleep(1)

    def steer(self):
        while True:
            time.sleep(0.05)
            if self.holds_sticks:
                try:
                    sticks = mav.MAVLink_manual_control_message(self.system, 0, 0, 500, 0, 0)
                    self.link.write(sticks.pack(self.pilot))
                except OSError:
                    pass

    def since(self, kind, at):
        """In the order in which they came."""
        with self.lock:
            found = list(itertools.takewhile(lambda message: message.at >= at, reversed(self.kept[kind])))
        return found[::-1]

    def ask(self, kinds, send, fits=lambda message: True, seconds=1.5, attempts=ATTEMPTS):
        """Sends until a message fits. Each attempt waits for `seconds`."""
        found = queue.Queue()
        with self.lock:
            self.waiting.append((kinds, found))
        try:
            for _ in range(attempts):
                send()
                until = time.time() + seconds
                while (left := until - time.time()) > 0:
                    try:
                        message = found.get(timeout=left)
                    except queue.Empty:
                        break
                    if fits(message):
                        return message
            raise TimeoutError(f"The vehicle sent no {' or '.join(kinds)}.")
        finally:
            with self.lock:
                self.waiting = [entry for entry in self.waiting if entry[1] is not found]

    def send_command(self, command, params):
        values = [*params, *[0] * (7 - len(params))]
        self.link.mav.command_long_send(self.system, 1, command, 0, *values)


def main(port):
    answers, sys.stdout = sys.stdout, sys.stderr  # pymavlink prints
    vehicle = Vehicle(port)

    def now():
        return time.time()

    def sync():
        """Returns the time when everything that the vehicle had sent before is read."""
        send = lambda: vehicle.send_command(mav.MAV_CMD_REQUEST_MESSAGE, [mav.MAVLINK_MSG_ID_HEARTBEAT])
        return vehicle.ask(["COMMAND_ACK"], send, lambda ack: ack.command == mav.MAV_CMD_REQUEST_MESSAGE).at

    def last(type):
        found = vehicle.latest.get(type)
        return fields(found) if found else None

    def since(type, at):
        return [fields(message) for message in vehicle.since(type, at)]

    def command(command, params):
        send = lambda: vehicle.send_command(command, [math.nan if value is None else value for value in params])
        return vehicle.ask(["COMMAND_ACK"], send, lambda ack: ack.command == command, attempts=2).result

    def command_int(command, frame, params, x, y, z):
        """Degrees × 1e7 for x and y."""
        values = [math.nan if value is None else value for value in params]
        send = lambda: vehicle.link.mav.command_int_send(vehicle.system, 1, frame, command, 0, 0, *values, x, y, z)
        return vehicle.ask(["COMMAND_ACK"], send, lambda ack: ack.command == command, attempts=2).result

    def request(type):
        """One message of that kind, asked for."""
        number = getattr(mav, f"MAVLINK_MSG_ID_{type}")
        return fields(vehicle.ask([type], lambda: vehicle.send_command(mav.MAV_CMD_REQUEST_MESSAGE, [number])))

    def modes():
        """Every mode that the vehicle offers (AVAILABLE_MODES)."""
        number = mav.MAVLINK_MSG_ID_AVAILABLE_MODES
        found, count = [], 1
        while len(found) < count:
            index = len(found) + 1
            send = lambda: vehicle.send_command(mav.MAV_CMD_REQUEST_MESSAGE, [number, index])
            mode = vehicle.ask(["AVAILABLE_MODES"], send, lambda message: message.mode_index == index)
            found, count = [*found, fields(mode)], mode.number_modes
        return found

    def times(command, params, count):
        """Milliseconds from each of so many commands to its acknowledgement. They come at any moment of the vehicle's loop."""
        found = queue.Queue()
        with vehicle.lock:
            vehicle.waiting.append((["COMMAND_ACK"], found))
        taken = []
        for _ in range(count):
            begun = time.perf_counter()
            vehicle.send_command(command, params)
            while found.get(timeout=5).command != command:
                pass
            taken.append((time.perf_counter() - begun) * 1000)
            time.sleep(random.uniform(0, 0.02))
        with vehicle.lock:
            vehicle.waiting = [entry for entry in vehicle.waiting if entry[1] is not found]
        return taken

    def read_param(name):
        send = lambda: vehicle.link.mav.param_request_read_send(vehicle.system, 1, name.encode(), -1)
        return vehicle.ask(["PARAM_VALUE"], send, lambda message: message.param_id == name)

    def value_of(message):
        # PX4 sends the bytes of an integer in the place of the float.
        if px4() and message.param_type in (mav.MAV_PARAM_TYPE_INT32, mav.MAV_PARAM_TYPE_UINT32):
            return int.from_bytes(bytearray(struct.pack("<f", message.param_value)), "little", signed=True)
        return message.param_value

    def px4():
        return vehicle.latest["HEARTBEAT"].autopilot == mav.MAV_AUTOPILOT_PX4

    def param(name):
        return value_of(read_param(name))

    def set_param(name, value):
        kind = read_param(name).param_type
        sent = value
        if px4() and kind in (mav.MAV_PARAM_TYPE_INT32, mav.MAV_PARAM_TYPE_UINT32):
            sent = struct.unpack("<f", int(value).to_bytes(4, "little", signed=True))[0]
        send = lambda: vehicle.link.mav.param_set_send(vehicle.system, 1, name.encode(), sent, kind)
        return value_of(vehicle.ask(["PARAM_VALUE"], send, lambda message: message.param_id == name))

    def params():
        """All of them with the seconds that it took, by the list and then one by one for the gaps."""
        begun = time.time()
        values, count = {}, None
        found = queue.Queue()
        with vehicle.lock:
            vehicle.waiting.append((["PARAM_VALUE"], found))
        vehicle.link.mav.param_request_list_send(vehicle.system, 1)
        try:
            while count is None or len(values) < count:
                try:
                    message = found.get(timeout=2)
                except queue.Empty:
                    if count is None:
                        vehicle.link.mav.param_request_list_send(vehicle.system, 1)
                    for index in [index for index in range(count or 0) if index not in values][:50]:
                        vehicle.link.mav.param_request_read_send(vehicle.system, 1, b"", index)
                    continue
                if message.param_index < 0xFFFF:
                    count = message.param_count
                    values[message.param_index] = (message.param_id, value_of(message))
        finally:
            with vehicle.lock:
                vehicle.waiting = [entry for entry in vehicle.waiting if entry[1] is not found]
        return {"seconds": time.time() - begun, "values": {name: plain(value) for name, value in values.values()}}

    def plan(kind):
        send = lambda: vehicle.link.mav.mission_request_list_send(vehicle.system, 1, kind)
        count = vehicle.ask(["MISSION_COUNT"], send, lambda message: message.mission_type == kind).count
        items = []
        for seq in range(count):
            send = lambda: vehicle.link.mav.mission_request_int_send(vehicle.system, 1, seq, kind)
            items.append(fields(vehicle.ask(["MISSION_ITEM_INT"], send, lambda item: item.seq == seq)))
        vehicle.link.mav.mission_ack_send(vehicle.system, 1, mav.MAV_MISSION_ACCEPTED, kind)
        return items

    def upload(kind, items):
        """Items as [command, frame, p1, p2, p3, p4, x, y, z]. Returns MAV_MISSION_RESULT."""
        kinds = ["MISSION_REQUEST", "MISSION_REQUEST_INT", "MISSION_ACK"]
        send = lambda: vehicle.link.mav.mission_count_send(vehicle.system, 1, len(items), kind)
        # A repeated item is answered so, and the transfer goes on.
        is_repeated = lambda message: getattr(message, "type", None) == mav.MAV_MISSION_INVALID_SEQUENCE
        while True:
            asked = vehicle.ask(kinds, send, lambda message: message.mission_type == kind and not is_repeated(message))
            if asked.get_type() == "MISSION_ACK":
                return asked.type

            def send(seq=asked.seq):
                command, frame, p1, p2, p3, p4, x, y, z = [math.nan if value is None else value for value in items[seq]]
                vehicle.link.mav.mission_item_int_send(
                    vehicle.system, 1, seq, frame, command, 0, 1, p1, p2, p3, p4, x, y, z, kind
                )

    def set_current(seq):
        """Returns once the vehicle reports the item as its current one."""
        send = lambda: vehicle.link.mav.mission_set_current_send(vehicle.system, 1, seq)
        return vehicle.ask(["MISSION_CURRENT"], send, lambda current: current.seq == seq).seq

    def sticks(channels):
        """RC_CHANNELS_OVERRIDE as the station that the vehicle takes sticks of, once."""
        vehicle.link.mav.srcSystem = 255
        vehicle.link.mav.rc_channels_override_send(vehicle.system, 1, *channels)
        vehicle.link.mav.srcSystem = STATION

    def hold_sticks(on):
        """MANUAL_CONTROL with centred sticks, again and again, as the station that the vehicle takes sticks of."""
        vehicle.holds_sticks = on

    work = {
        each.__name__: each
        for each in (
            *(now, sync, last, since, request, modes, command, command_int, times, param, set_param, params, plan, upload),
            *(set_current, sticks, hold_sticks),
        )
    }
    for line in sys.stdin:
        request = json.loads(line)
        number, name = request.pop("id"), request.pop("do")
        try:
            answer = {"id": number, "is": work[name](**request)}
        except Exception as error:
            answer = {"id": number, "error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)


main(int(sys.argv[1]))
