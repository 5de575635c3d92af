"""Watches a drone's position as a client in Python would, and prints what it heard as JSON lines [event, data].

    watch.py ORIGIN TOKEN DRONE_ID websocket|polling

Ends by itself: after an `error`, or after the third position and the word that it is unsubscribed.
"""

import json
import sys
import threading

import socketio

origin, token, drone_id, transport = sys.argv[1:]
request = {"drone_id": int(drone_id), "stream_type": "gps"}
client = socketio.Client(reconnection=False)
done = threading.Event()
positions = 0


@client.on("*")
def heard(event, data):
    global positions
    print(json.dumps([event, data]), flush=True)
    if event == "connected":
        client.emit("subscribe_telemetry", request)
    if event == "telemetry_data":
        positions += 1
        if positions == 3:
            client.emit("unsubscribe_telemetry", request)
    if event == "subscription_confirmed" and data["status"] == "unsubscribed":
        done.set()


@client.event
def disconnect(*_reason):
    done.set()


client.connect(f"{origin}?token={token}", transports=[transport], wait=False)
if not done.wait(30):
    sys.exit("waited in vain")
client.disconnect()
