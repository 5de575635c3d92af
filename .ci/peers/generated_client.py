"""Logs in, stores a mission and reads it back, by the client that openapi-python-client has made in the folder `fleet`.

    generated_client.py FOLDER BASE_URL USERNAME PASSWORD

Prints the mission as JSON.
"""

import json
import sys

folder, base_url, username, password = sys.argv[1:]
sys.path.insert(0, folder)

from fleet import AuthenticatedClient, Client
from fleet.api.accounts import post_login
from fleet.api.missions import get_mission_mission_id, post_mission, post_mission_mission_id_points
from fleet.models import NewMission, PointOfMission, PointOfMissionType, PostLoginBody

login = PostLoginBody(username=username, password=password)
tokens = post_login.sync(client=Client(base_url=base_url), body=login)
client = AuthenticatedClient(base_url=base_url, token=tokens.access_token)
mission = post_mission.sync(client=client, body=NewMission(name="From Python"))
points = [
    PointOfMission(lat=47.4, lng=8.5 + east / 1000, altitude=20, type_=PointOfMissionType.FLY) for east in range(3)
]
post_mission_mission_id_points.sync(mission.id, client=client, body=points)
print(json.dumps(get_mission_mission_id.sync(mission.id, client=client).to_dict()))
