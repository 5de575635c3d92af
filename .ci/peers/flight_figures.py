"""Prints the figures of each flight in a log, as pymavlink or pyulog reads its messages: a JSON array.

    flight_figures.py FILE.bin|FILE.ulg

A flight is a span in which the motors were armed. Seconds of log time, metres, volts; heights are above home.
"""

import json
import math
import sys

EARTH_RADIUS = 6371008.8
ARMED_EVENTS = {10: True, 11: False}
# ERR.Subsys of failsafes: radio, battery, GPS, ground station, fence, EKF, terrain, sensors, leak, vibration, dead reckoning.
FAILSAFES = {5, 6, 7, 8, 9, 17, 23, 26, 27, 29, 31}
# MODE.Rsn → ERR.Subsys: a rover logs no ERR of radio, battery and ground station.
MODE_REASONS = {3: 5, 4: 6, 5: 8, 6: 17, 10: 9}
PX4_ARMED = 2
SHORTEST_STEP = 0.1


def apart(one, other):
    """The great circle between two positions in degrees."""
    lat1, lat2 = math.radians(one[0]), math.radians(other[0])
    across = math.radians(other[1] - one[1])
    square = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin(across / 2) ** 2
    return 2 * EARTH_RADIUS * math.asin(min(1, math.sqrt(square)))


def length(path):
    """Metres along (time, lat, lng, …). At rest an estimator trembles: steps under 0.1 m count once they add up to it."""
    total, corner = 0, path[0] if path else None
    for position in path:
        step = apart(corner[1:3], position[1:3])
        if step >= SHORTEST_STEP:
            total, corner = total + step, position
    return total


def spans(changes, first, last):
    """(began, ended, is_over) of each flight, from (time, armed)."""
    began = None
    if not changes or not changes[0][1]:
        began = first
    for at, armed in changes:
        if armed and began is None:
            began = at
        elif not armed and began is not None:
            yield began, at, True
            began = None
    if began is not None:
        yield began, last, False


def figures(span, positions, volts, used, failsafes):
    """Of (time, lat, lng, height), (time, volts), (time, used) and the times at which failsafes began."""
    began, ended, is_over = span
    inside = lambda rows: [row for row in rows if began <= row[0] <= ended]
    path = inside(positions)
    amounts = [row[1] for row in inside(used)]
    return {
        "began": began,
        "is_over": is_over,
        "duration": ended - began,
        "distance": length(path),
        "max_altitude": max((row[3] for row in path), default=None),
        "min_voltage": min((row[1] for row in inside(volts)), default=None),
        "used": amounts[-1] - amounts[0] if amounts else None,
        "failsafes": len(inside([(at,) for at in failsafes])),
    }


def dataflash(path):
    from pymavlink import DFReader

    log = DFReader.DFReader_binary(path, zero_time_base=True)
    positions, volts, used, changes, failsafes, failing = [], [], [], [], [], {}
    first = last = reason = None
    while (message := log.recv_msg()) is not None:
        kind, at = message.get_type(), getattr(message, "TimeUS", None)
        if at is None:
            continue
        at /= 1e6
        first, last = at if first is None else first, at
        if kind == "POS":
            positions.append((at, message.Lat, message.Lng, message.RelHomeAlt))
        elif kind == "BAT" and message.Inst == 0:
            volts.append((at, message.Volt))
            used.append((at, message.CurrTot))
        elif kind == "MODE":
            if message.Rsn in MODE_REASONS and message.Rsn != reason and not failing.get(MODE_REASONS[message.Rsn]):
                failsafes.append(at)
            reason = message.Rsn
        elif kind == "ARM":
            changes.append((at, message.ArmState == 1))
        elif kind == "EV" and message.Id in ARMED_EVENTS:
            changes.append((at, ARMED_EVENTS[message.Id]))
        elif kind == "ERR" and message.Subsys in FAILSAFES:
            if message.ECode and not failing.get(message.Subsys):
                failsafes.append(at)
            failing[message.Subsys] = message.ECode
    return [figures(span, positions, volts, used, failsafes) for span in spans(changes, first, last)]


def ulog(path):
    from pyulog import ULog

    log = ULog(path)
    topics = {topic.name: topic.data for topic in log.data_list if topic.multi_id == 0}

    def rows(topic, *names):
        data = topics.get(topic, {"timestamp": []})
        return [tuple(float(data[name][at]) for name in ("timestamp", *names)) for at in range(len(data["timestamp"]))]

    homes = [(at, alt) for at, alt, valid in rows("home_position", "alt", "valid_alt") if valid]
    home_at = lambda time: next((alt for at, alt in reversed(homes) if at <= time), math.nan)
    second = lambda found: [(row[0] / 1e6, *row[1:]) for row in found]
    positions = [
        (at, lat, lng, alt - home_at(at)) for at, lat, lng, alt in rows("vehicle_global_position", "lat", "lon", "alt")
    ]
    changes, failsafes, was_failing = [], [], 0
    states = second(rows("vehicle_status", "arming_state", "failsafe"))
    for number, (at, state, failing) in enumerate(states):
        armed = state == PX4_ARMED
        if number == 0 or armed != changes[-1][1]:
            changes.append((at, armed))
        if failing and not was_failing:
            failsafes.append(at)
        was_failing = failing
    battery = rows("battery_status", "voltage_v", "remaining")
    volts = [(at, value) for at, value, _ in second(battery)]
    used = [(at, -100 * left) for at, _, left in second(battery)]
    # The first state is a state, and no change.
    if changes and not changes[0][1]:
        changes = changes[1:] or [(math.inf, True)]
    found = spans(changes, log.start_timestamp / 1e6, log.last_timestamp / 1e6)
    return [figures(span, second(positions), volts, used, failsafes) for span in found if span[0] < math.inf]


if __name__ == "__main__":
    print(json.dumps((ulog if sys.argv[1].endswith(".ulg") else dataflash)(sys.argv[1])))
