/** A success of each route, made by `npm run api:examples` of the exchanges of the contract's cases. */
export interface Example {
  readonly query?: string;
  readonly request?: unknown;
  readonly reply: unknown;
}

export const examples: Readonly<Record<string, Example>> = {
  "DELETE /calendar/events/:event_id": {
    "reply": {
      "success": true,
      "data": {
        "message": "The event was deleted."
      },
      "message": "OK"
    }
  },
  "DELETE /calendar/events/:event_id/occurrences": {
    "query": "occurrence_time=2030-05-07T08:00:00Z",
    "reply": {
      "success": true,
      "data": {
        "id": 24,
        "user_id": 293,
        "drone_id": 98,
        "mission_id": 29,
        "execution_id": null,
        "title": "Survey",
        "description": null,
        "scheduled_time": "2030-05-07T08:00:00.000Z",
        "status": "cancelled",
        "recurrence_rule": "FREQ=DAILY;COUNT=5",
        "created_at": "2026-11-27T17:24:52.004Z",
        "updated_at": "2026-11-27T17:24:52.004Z",
        "is_occurrence": true,
        "original_scheduled_time": "2030-05-06T08:00:00.000Z"
      },
      "message": "OK"
    }
  },
  "DELETE /drone/:drone_id": {
    "reply": {
      "message": "The drone was deleted."
    }
  },
  "DELETE /drone/action/connection": {
    "query": "id=110",
    "reply": {
      "message": "The connection is closed."
    }
  },
  "DELETE /executions/:execution_id": {
    "reply": {
      "success": true,
      "data": {
        "id": 11
      },
      "message": "Deleted."
    }
  },
  "DELETE /geofence/:geofence_id": {
    "reply": {
      "message": "The geofence was deleted."
    }
  },
  "DELETE /geofence/point/:point_id": {
    "reply": {
      "id": 19,
      "name": "field",
      "type": "polygon",
      "fence_type": "exclusion",
      "enabled": true,
      "geofence_points": [
        {
          "id": 44,
          "geofence_id": 19,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 1,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        },
        {
          "id": 46,
          "geofence_id": 19,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 3,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        }
      ]
    }
  },
  "DELETE /logout": {
    "reply": {
      "message": "Logged out."
    }
  },
  "DELETE /mission/:mission_id": {
    "reply": {
      "message": "The mission was deleted."
    }
  },
  "DELETE /mission/point/:mission_point_id": {
    "reply": {
      "id": 43,
      "name": "survey",
      "mission_points": [
        {
          "id": 95,
          "mission_id": 43,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 1,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "altitude": 30,
          "type": "fly",
          "label": null,
          "command": 16,
          "is_current": false,
          "autocontinue": true
        },
        {
          "id": 97,
          "mission_id": 43,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 3,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "altitude": 30,
          "type": "fly",
          "label": null,
          "command": 16,
          "is_current": false,
          "autocontinue": true
        }
      ]
    }
  },
  "GET /assets/:vehicle_id": {
    "reply": {
      "success": true,
      "data": [
        {
          "id": 6,
          "drone_id": 76,
          "user_id": 229,
          "execution_id": null,
          "asset_type": "logs",
          "file_name": "flight.bin",
          "mime_type": null,
          "checksum": "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73",
          "status": "ready",
          "failure": null,
          "size": 7,
          "sha256": "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73",
          "stream": "none",
          "created_at": "2026-11-27T17:24:47.051Z",
          "completed_at": "2026-11-27T17:24:47.155Z",
          "derivation_failure": null,
          "recorded": false,
          "thumbnail_url": null
        }
      ],
      "message": "OK"
    }
  },
  "GET /assets/:vehicle_id/download/:asset_id": {
    "reply": {
      "download_url": "https://fleet.example.com/fleet/assets/79/10/flight.bin?X-Amz-Signature=5f3c",
      "file_name": "flight.bin",
      "asset_type": "logs",
      "success": true,
      "data": {
        "download_url": "https://fleet.example.com/fleet/assets/79/10/flight.bin?X-Amz-Signature=5f3c",
        "file_name": "flight.bin",
        "asset_type": "logs"
      },
      "message": "OK"
    }
  },
  "GET /assets/user": {
    "reply": {
      "success": true,
      "data": [
        {
          "vehicle_id": 75,
          "name": "Eye",
          "video": 0,
          "image": 0,
          "logs": 1,
          "total": 1
        }
      ],
      "message": "OK"
    }
  },
  "GET /assets/video/:vehicle_id": {
    "reply": {
      "success": true,
      "data": [
        {
          "id": 8,
          "drone_id": 77,
          "user_id": 231,
          "execution_id": null,
          "asset_type": "video",
          "file_name": "a.mp4",
          "mime_type": null,
          "checksum": "442c4dbe5ccdcbb71250e265dddfe243426de630bfa567c6a9f781422ea9c530",
          "status": "ready",
          "failure": null,
          "size": 10,
          "sha256": "442c4dbe5ccdcbb71250e265dddfe243426de630bfa567c6a9f781422ea9c530",
          "stream": "pending",
          "created_at": "2026-11-27T17:24:47.409Z",
          "completed_at": "2026-11-27T17:24:47.495Z",
          "derivation_failure": null,
          "recorded": false,
          "thumbnail_url": null
        }
      ],
      "message": "OK"
    }
  },
  "GET /auth": {
    "reply": {
      "message": "The token is valid."
    }
  },
  "GET /auth/refresh": {
    "reply": {
      "access_token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
      "refresh_token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl"
    }
  },
  "GET /billing/can-add-vehicle": {
    "query": "vehicle_type=physical",
    "reply": {
      "success": true,
      "data": {
        "can_add": false,
        "reason": "no_subscription",
        "message": "A physical vehicle needs a subscription. Subscribe for at least one vehicle.",
        "subscription": null
      },
      "message": "OK"
    }
  },
  "GET /billing/payments": {
    "query": "limit=0",
    "reply": {
      "success": true,
      "data": [
        {
          "id": 101,
          "invoice_id": "in_248_100",
          "payment_intent_id": null,
          "status": "paid",
          "amount": 100,
          "currency": "eur",
          "invoice_url": null,
          "paid_at": "2026-01-01T01:40:00.000Z"
        }
      ],
      "message": "OK"
    }
  },
  "GET /billing/pricing": {
    "reply": {
      "success": true,
      "data": {
        "price_per_vehicle": 12000,
        "currency": "eur",
        "billing_period": "year",
        "free_simulated_vehicles": 1
      },
      "message": "OK"
    }
  },
  "GET /billing/subscription": {
    "reply": {
      "success": true,
      "data": null,
      "message": "OK"
    }
  },
  "GET /calendar/events": {
    "query": "start=2030-05-07T08:00:00Z&end=2030-05-09T08:00:00Z",
    "reply": {
      "success": true,
      "data": [
        {
          "id": 10,
          "user_id": 275,
          "drone_id": 89,
          "mission_id": 20,
          "execution_id": null,
          "title": "Survey",
          "description": null,
          "scheduled_time": "2030-05-07T08:00:00.000Z",
          "status": "scheduled",
          "recurrence_rule": "FREQ=DAILY;COUNT=5",
          "created_at": "2026-11-27T17:24:50.491Z",
          "updated_at": "2026-11-27T17:24:50.491Z",
          "is_occurrence": true,
          "original_scheduled_time": "2030-05-06T08:00:00.000Z"
        },
        {
          "id": 11,
          "user_id": 275,
          "drone_id": 89,
          "mission_id": 20,
          "execution_id": null,
          "title": "Once",
          "description": null,
          "scheduled_time": "2030-05-07T08:00:00.000Z",
          "status": "scheduled",
          "recurrence_rule": null,
          "created_at": "2026-11-27T17:24:50.516Z",
          "updated_at": "2026-11-27T17:24:50.516Z"
        },
        {
          "id": 10,
          "user_id": 275,
          "drone_id": 89,
          "mission_id": 20,
          "execution_id": null,
          "title": "Survey",
          "description": null,
          "scheduled_time": "2030-05-08T08:00:00.000Z",
          "status": "scheduled",
          "recurrence_rule": "FREQ=DAILY;COUNT=5",
          "created_at": "2026-11-27T17:24:50.491Z",
          "updated_at": "2026-11-27T17:24:50.491Z",
          "is_occurrence": true,
          "original_scheduled_time": "2030-05-06T08:00:00.000Z"
        }
      ],
      "message": "OK"
    }
  },
  "GET /calendar/events/:event_id": {
    "reply": {
      "success": true,
      "data": {
        "id": 16,
        "user_id": 281,
        "drone_id": 91,
        "mission_id": 22,
        "execution_id": null,
        "title": "Survey",
        "description": null,
        "scheduled_time": "2030-05-06T08:00:00.000Z",
        "status": "scheduled",
        "recurrence_rule": null,
        "created_at": "2026-11-27T17:24:50.908Z",
        "updated_at": "2026-11-27T17:24:50.908Z"
      },
      "message": "OK"
    }
  },
  "GET /drone/:drone_id/mission": {
    "reply": {
      "state": "other",
      "mission_id": null,
      "verified_at": null,
      "hash": "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945",
      "items": []
    }
  },
  "GET /drone/:drone_id/params": {
    "query": "params=FENCE_ACTION,%20FENCE_ENABLE",
    "reply": {
      "params": [
        {
          "param_id": "FENCE_ACTION",
          "value": 1
        },
        {
          "param_id": "FENCE_ENABLE",
          "value": 0
        }
      ]
    }
  },
  "GET /drone/:drone_id/vpn": {
    "reply": {
      "url": "https://fleet.example.com/fleet-vpn/vpn/drones/146.conf?X-Amz-Signature=5f3c"
    }
  },
  "GET /drone/:drone_id/vpn/status": {
    "reply": {
      "status": false
    }
  },
  "GET /drone/action/connection": {
    "query": "id=108",
    "reply": {
      "drone_id": 108
    }
  },
  "GET /drone/activate": {
    "reply": {
      "username": "drone",
      "password": "pull only",
      "repository": "registry.example.com/fleet",
      "vpn": "https://fleet.example.com/fleet-vpn/vpn/drones/1.conf?X-Amz-Signature=5f3c",
      "compose": "https://fleet.example.com/fleet/compose/copter.yaml?X-Amz-Signature=5f3c"
    }
  },
  "GET /drone/pull": {
    "reply": {
      "accessKeyId": "ASIA1",
      "secretAccessKey": "a secret",
      "sessionToken": "a session token",
      "accountId": "123456789012",
      "region": "us-east-1"
    }
  },
  "GET /drones": {
    "reply": []
  },
  "GET /drones/mission": {
    "query": "missionId=32",
    "reply": []
  },
  "GET /drones_status": {
    "reply": {}
  },
  "GET /executions": {
    "reply": {
      "success": true,
      "data": {
        "executions": [
          {
            "id": 9,
            "drone_id": 122,
            "user_id": 337,
            "mission_id": null,
            "mission_name": null,
            "status": "in_progress",
            "notes": null,
            "started_at": "2026-11-27T17:24:54.335Z",
            "completed_at": null,
            "plan_state": "unread",
            "plan_hash": null,
            "verified_plan_hash": null,
            "log_asset_id": null,
            "report": "none",
            "report_reason": null,
            "report_sent_at": null
          }
        ],
        "total": 1,
        "limit": 20,
        "offset": 0
      },
      "message": "OK"
    }
  },
  "GET /executions/:execution_id": {
    "reply": {
      "success": true,
      "data": {
        "id": 10,
        "drone_id": 123,
        "user_id": 339,
        "mission_id": null,
        "mission_name": null,
        "status": "in_progress",
        "notes": null,
        "started_at": "2026-11-27T17:24:54.384Z",
        "completed_at": null,
        "plan_state": "unread",
        "plan_hash": null,
        "verified_plan_hash": null,
        "log_asset_id": null,
        "report": "none",
        "report_sent_at": null,
        "report_reason": null,
        "assets": [
          {
            "id": 14,
            "drone_id": 123,
            "user_id": 339,
            "execution_id": 10,
            "asset_type": "logs",
            "file_name": "a.bin",
            "mime_type": null,
            "checksum": "836ff184e7b41b1e13cb5fd89fa1de98dbbab99e9d2918913ff43b86a5c7c213",
            "status": "ready",
            "failure": null,
            "size": 3,
            "sha256": "836ff184e7b41b1e13cb5fd89fa1de98dbbab99e9d2918913ff43b86a5c7c213",
            "stream": "none",
            "created_at": "2026-11-27T17:24:54.402Z",
            "completed_at": "2026-11-27T17:24:54.475Z",
            "derivation_failure": null,
            "recorded": false,
            "thumbnail_url": null
          }
        ]
      },
      "message": "OK"
    }
  },
  "GET /executions/:execution_id/archive": {
    "reply": {
      "execution_id": 14,
      "status": "pending",
      "url": null,
      "expires_at": null,
      "size": null,
      "sha256": null,
      "made_at": null,
      "error": null,
      "success": true,
      "data": {
        "execution_id": 14,
        "status": "pending",
        "url": null,
        "expires_at": null,
        "size": null,
        "sha256": null,
        "made_at": null,
        "error": null
      },
      "message": "OK"
    }
  },
  "GET /executions/:execution_id/flight-stats": {
    "reply": {
      "success": true,
      "data": {
        "execution_id": 13,
        "asset_id": null,
        "status": "ready",
        "stats": {
          "gps": {
            "max_hdop": 0.699999988079071,
            "fix_share": 1,
            "mean_hdop": 0.699999988079071,
            "min_satellites": 14,
            "mean_satellites": 14
          },
          "home": {
            "lat": 47,
            "lng": 8
          },
          "modes": [
            {
              "name": "GUIDED",
              "seconds": 50
            },
            {
              "name": "RTL",
              "seconds": 60
            }
          ],
          "track": [
            {
              "lat": 47,
              "lng": 8,
              "seconds": 0,
              "altitude_m": 20
            },
            {
              "lat": 47.000018,
              "lng": 8,
              "seconds": 0.40000000000000036,
              "altitude_m": 20
            },
            {
              "lat": 47.0000359,
              "lng": 8,
              "seconds": 0.7999999999999989,
              "altitude_m": 20
            }
          ],
          "format": "dataflash",
          "series": [
            {
              "seconds": 0,
              "speed_ms": null,
              "battery_v": null,
              "altitude_m": 20
            },
            {
              "seconds": 0.40000000000000036,
              "speed_ms": 5,
              "battery_v": 12.600000381469727,
              "altitude_m": 20
            },
            {
              "seconds": 0.7999999999999989,
              "speed_ms": 5,
              "battery_v": 12.600000381469727,
              "altitude_m": 20
            }
          ],
          "battery": {
            "used_mah": 550,
            "used_percent": null,
            "min_voltage_v": 11.5,
            "start_voltage_v": 12.600000381469727
          },
          "vehicle": "ArduCopter V4.7.0 (simulated)",
          "complete": true,
          "messages": 2004,
          "failsafes": 1,
          "incidents": [
            {
              "text": "Battery failsafe",
              "count": 1,
              "seconds": 80,
              "severity": "failsafe"
            }
          ],
          "vibration": {
            "max": [
              1,
              2,
              30
            ],
            "mean": [
              1,
              2,
              3.2432432432432434
            ],
            "clips": 3
          },
          "distance_m": 499.999724202163,
          "started_at": "2024-02-07T11:19:52.000Z",
          "log_seconds": 129,
          "flight_count": 1,
          "max_climb_ms": 0,
          "max_speed_ms": 5,
          "damaged_bytes": 0,
          "flight_number": 1,
          "mean_speed_ms": 4.545452038201482,
          "max_altitude_m": 20,
          "max_descent_ms": 2,
          "min_altitude_m": 0,
          "duration_seconds": 110,
          "flight_chosen_by": "order",
          "max_distance_from_home_m": 499.9997242021651
        },
        "error": null,
        "analysed_at": "2026-11-27T17:24:55.118Z",
        "recorded": false
      },
      "message": "OK"
    }
  },
  "GET /executions/archive-key": {
    "reply": {
      "algorithm": "Ed25519",
      "public_key": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAebVWLo/mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ=\n-----END PUBLIC KEY-----\n",
      "fingerprint": "646d6be49d9f0048f94f67749eca35156eed4f7a7be18e4fc4a94bfd44e300b0",
      "success": true,
      "data": {
        "algorithm": "Ed25519",
        "public_key": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAebVWLo/mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ=\n-----END PUBLIC KEY-----\n",
        "fingerprint": "646d6be49d9f0048f94f67749eca35156eed4f7a7be18e4fc4a94bfd44e300b0"
      },
      "message": "OK"
    }
  },
  "GET /executions/current": {
    "reply": {
      "success": true,
      "data": {
        "id": 7,
        "drone_id": 120,
        "user_id": 333,
        "mission_id": null,
        "mission_name": null,
        "status": "in_progress",
        "notes": null,
        "started_at": "2026-11-27T17:24:54.229Z",
        "completed_at": null,
        "plan_state": "unread",
        "plan_hash": null,
        "verified_plan_hash": null,
        "log_asset_id": null,
        "report": "none",
        "report_sent_at": null,
        "report_reason": null
      },
      "message": "OK"
    }
  },
  "GET /executions/vehicle/:drone_id": {
    "query": "limit=5&offset=0",
    "reply": {
      "success": true,
      "data": {
        "executions": [
          {
            "id": 8,
            "drone_id": 121,
            "user_id": 335,
            "mission_id": null,
            "mission_name": null,
            "status": "in_progress",
            "notes": null,
            "started_at": "2026-11-27T17:24:54.292Z",
            "completed_at": null,
            "plan_state": "unread",
            "plan_hash": null,
            "verified_plan_hash": null,
            "log_asset_id": null,
            "report": "none",
            "report_reason": null,
            "report_sent_at": null
          }
        ],
        "total": 1,
        "limit": 5,
        "offset": 0
      },
      "message": "OK"
    }
  },
  "GET /geofence/:geofence_id": {
    "reply": {
      "id": 32,
      "name": "field",
      "type": "polygon",
      "fence_type": "exclusion",
      "enabled": true,
      "geofence_points": [
        {
          "id": 68,
          "geofence_id": 32,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 1,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        },
        {
          "id": 69,
          "geofence_id": 32,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 2,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        },
        {
          "id": 70,
          "geofence_id": 32,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 3,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        }
      ]
    }
  },
  "GET /geofence/point/:point_id": {
    "reply": {
      "id": 43,
      "geofence_id": 18,
      "lat": 47.1,
      "lng": 8.2,
      "sequence": 3,
      "frame": 3,
      "param1": 0,
      "param2": 0,
      "param3": 0,
      "param4": 0,
      "command": 5002
    }
  },
  "GET /geofences": {
    "reply": []
  },
  "GET /mission/:mission_id": {
    "reply": {
      "id": 56,
      "name": "survey",
      "mission_points": [
        {
          "id": 114,
          "mission_id": 56,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 1,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "altitude": 30,
          "type": "fly",
          "label": null,
          "command": 16,
          "is_current": false,
          "autocontinue": true
        },
        {
          "id": 115,
          "mission_id": 56,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 2,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "altitude": 30,
          "type": "fly",
          "label": null,
          "command": 16,
          "is_current": false,
          "autocontinue": true
        },
        {
          "id": 116,
          "mission_id": 56,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 3,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "altitude": 30,
          "type": "fly",
          "label": null,
          "command": 16,
          "is_current": false,
          "autocontinue": true
        }
      ]
    }
  },
  "GET /mission/point/:mission_point_id": {
    "reply": {
      "id": 94,
      "mission_id": 42,
      "lat": 47.1,
      "lng": 8.2,
      "sequence": 3,
      "frame": 3,
      "param1": 0,
      "param2": 0,
      "param3": 0,
      "param4": 0,
      "altitude": 30,
      "type": "fly",
      "label": null,
      "command": 16,
      "is_current": false,
      "autocontinue": true
    }
  },
  "GET /missions": {
    "reply": []
  },
  "GET /user": {
    "reply": {
      "id": 31,
      "username": "pilot@example.com",
      "level": "CUSTOMER",
      "is_active": true,
      "ip": "10.70.0.31",
      "created_at": "2026-11-27T17:24:19.706Z",
      "success": true,
      "data": {
        "id": 31,
        "username": "pilot@example.com",
        "level": "CUSTOMER",
        "is_active": true,
        "ip": "10.70.0.31",
        "created_at": "2026-11-27T17:24:19.706Z"
      },
      "message": "OK"
    }
  },
  "GET /user/quotas": {
    "reply": {
      "success": true,
      "data": [
        {
          "quota": "jobs",
          "counts": "background jobs that run at a time; others wait",
          "drone_id": null,
          "used": 0,
          "waiting": 0,
          "limit": 1,
          "seconds": null
        },
        {
          "quota": "stored_bytes",
          "counts": "bytes of all assets and archives",
          "drone_id": null,
          "used": 0,
          "waiting": null,
          "limit": 50000000000,
          "seconds": null
        },
        {
          "quota": "sockets",
          "counts": "Socket.IO connections to one gateway",
          "drone_id": null,
          "used": 0,
          "waiting": null,
          "limit": 50,
          "seconds": null
        }
      ],
      "message": "OK"
    }
  },
  "GET /user/report-emails": {
    "reply": {
      "email": "pilot@example.com",
      "extra_emails": "",
      "all_recipients": [
        "pilot@example.com"
      ],
      "unconfirmed_emails": [],
      "success": true,
      "data": {
        "email": "pilot@example.com",
        "extra_emails": "",
        "all_recipients": [
          "pilot@example.com"
        ],
        "unconfirmed_emails": []
      },
      "message": "OK"
    }
  },
  "GET /user/vpn": {
    "reply": {
      "url": "https://fleet.example.com/fleet-vpn/vpn/users/499.conf?X-Amz-Signature=5f3c"
    }
  },
  "GET /user/vpn/status": {
    "reply": {
      "status": false
    }
  },
  "PATCH /geofence/:geofence_id": {
    "request": {
      "name": "pond",
      "type": "circle",
      "fence_type": "inclusion",
      "enabled": false
    },
    "reply": {
      "id": 33,
      "name": "pond",
      "type": "circle",
      "fence_type": "inclusion",
      "enabled": false,
      "geofence_points": [
        {
          "id": 71,
          "geofence_id": 33,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 1,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        },
        {
          "id": 72,
          "geofence_id": 33,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 2,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        },
        {
          "id": 73,
          "geofence_id": 33,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 3,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        }
      ]
    }
  },
  "PATCH /geofence/:geofence_id/points": {
    "request": [
      {
        "id": 47,
        "sequence": 9,
        "lat": 1,
        "lng": 2,
        "frame": 0
      },
      {
        "id": 48,
        "command": 5001,
        "param1": 1,
        "param2": 2,
        "param3": 3,
        "param4": 4
      }
    ],
    "reply": {
      "id": 20,
      "name": "field",
      "type": "polygon",
      "fence_type": "exclusion",
      "enabled": true,
      "geofence_points": [
        {
          "id": 48,
          "geofence_id": 20,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 2,
          "frame": 3,
          "param1": 1,
          "param2": 2,
          "param3": 3,
          "param4": 4,
          "command": 5001
        },
        {
          "id": 49,
          "geofence_id": 20,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 3,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        },
        {
          "id": 47,
          "geofence_id": 20,
          "lat": 1,
          "lng": 2,
          "sequence": 9,
          "frame": 0,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        }
      ]
    }
  },
  "PATCH /geofence/:geofence_id/toggle": {
    "reply": {
      "id": 37,
      "name": "field",
      "type": "polygon",
      "fence_type": "exclusion",
      "enabled": false,
      "geofence_points": [
        {
          "id": 83,
          "geofence_id": 37,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 1,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        },
        {
          "id": 84,
          "geofence_id": 37,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 2,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        },
        {
          "id": 85,
          "geofence_id": 37,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 3,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        }
      ]
    }
  },
  "PATCH /geofence/point/:point_id": {
    "request": {
      "lat": 1,
      "lng": 2,
      "command": 5001,
      "param1": 3
    },
    "reply": {
      "id": 15,
      "name": "field",
      "type": "polygon",
      "fence_type": "exclusion",
      "enabled": true,
      "geofence_points": [
        {
          "id": 32,
          "geofence_id": 15,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 1,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        },
        {
          "id": 33,
          "geofence_id": 15,
          "lat": 1,
          "lng": 2,
          "sequence": 2,
          "frame": 3,
          "param1": 3,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5001
        },
        {
          "id": 34,
          "geofence_id": 15,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 3,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        }
      ]
    }
  },
  "PATCH /mission/:mission_id/points": {
    "request": [
      {
        "id": 100,
        "sequence": 0,
        "label": "now first"
      },
      {
        "id": 98,
        "lat": 5,
        "lng": 6,
        "altitude": 7,
        "type": "base",
        "label": null,
        "sequence": 9,
        "frame": 0
      },
      {
        "id": 99,
        "command": 22,
        "param1": 1,
        "param2": 2,
        "param3": 3,
        "param4": 4,
        "is_current": true
      }
    ],
    "reply": {
      "id": 44,
      "name": "survey",
      "mission_points": [
        {
          "id": 100,
          "mission_id": 44,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 0,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "altitude": 30,
          "type": "fly",
          "label": "now first",
          "command": 16,
          "is_current": false,
          "autocontinue": true
        },
        {
          "id": 99,
          "mission_id": 44,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 2,
          "frame": 3,
          "param1": 1,
          "param2": 2,
          "param3": 3,
          "param4": 4,
          "altitude": 30,
          "type": "fly",
          "label": null,
          "command": 22,
          "is_current": true,
          "autocontinue": true
        },
        {
          "id": 98,
          "mission_id": 44,
          "lat": 5,
          "lng": 6,
          "sequence": 9,
          "frame": 0,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "altitude": 7,
          "type": "base",
          "label": null,
          "command": 16,
          "is_current": false,
          "autocontinue": true
        }
      ]
    }
  },
  "PATCH /mission/point/:mission_point_id": {
    "request": {
      "lat": 1,
      "lng": 2,
      "altitude": 3,
      "type": "base",
      "label": "pad",
      "command": 21,
      "param1": 4
    },
    "reply": {
      "id": 39,
      "name": "survey",
      "mission_points": [
        {
          "id": 83,
          "mission_id": 39,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 1,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "altitude": 30,
          "type": "fly",
          "label": null,
          "command": 16,
          "is_current": false,
          "autocontinue": true
        },
        {
          "id": 84,
          "mission_id": 39,
          "lat": 1,
          "lng": 2,
          "sequence": 2,
          "frame": 3,
          "param1": 4,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "altitude": 3,
          "type": "base",
          "label": "pad",
          "command": 21,
          "is_current": false,
          "autocontinue": true
        },
        {
          "id": 85,
          "mission_id": 39,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 3,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "altitude": 30,
          "type": "fly",
          "label": null,
          "command": 16,
          "is_current": false,
          "autocontinue": true
        }
      ]
    }
  },
  "POST /activate/:user_id/:token": {
    "reply": {
      "access_token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
      "refresh_token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl"
    }
  },
  "POST /assets/:vehicle_id/delete": {
    "request": {
      "ids": [
        11
      ]
    },
    "reply": {
      "success": true,
      "data": {
        "deleted": [
          11
        ]
      },
      "message": "Deleted."
    }
  },
  "POST /authenticate_upload": {
    "request": {
      "file_name": "flight.bin",
      "asset_type": "logs"
    },
    "reply": {
      "url": "https://fleet.example.com/fleet/uploads/72/1/content?X-Amz-Signature=5f3c",
      "asset_id": 1,
      "success": true,
      "data": {
        "url": "https://fleet.example.com/fleet/uploads/72/1/content?X-Amz-Signature=5f3c",
        "asset_id": 1
      },
      "message": "OK"
    }
  },
  "POST /billing/webhook": {
    "reply": {
      "status": "ignored",
      "success": true,
      "data": {
        "status": "ignored"
      },
      "message": "OK"
    }
  },
  "POST /calendar/events": {
    "request": {
      "title": "Survey",
      "scheduled_time": "2030-05-06T08:00:00.000Z",
      "drone_id": 83,
      "mission_id": 14,
      "description": "North field"
    },
    "reply": {
      "success": true,
      "data": {
        "id": 1,
        "user_id": 267,
        "drone_id": 83,
        "mission_id": 14,
        "execution_id": null,
        "title": "Survey",
        "description": "North field",
        "scheduled_time": "2030-05-06T08:00:00.000Z",
        "status": "scheduled",
        "recurrence_rule": null,
        "created_at": "2026-11-27T17:24:48.943Z",
        "updated_at": "2026-11-27T17:24:48.943Z"
      },
      "message": "OK"
    }
  },
  "POST /complete_upload": {
    "request": {
      "asset_id": 3
    },
    "reply": {
      "asset_id": 3,
      "user_id": 225,
      "drone_id": 74,
      "success": true,
      "data": {
        "asset_id": 3,
        "user_id": 225,
        "drone_id": 74
      },
      "message": "OK"
    }
  },
  "POST /drone": {
    "request": {
      "type": "sitl",
      "name": "Copter",
      "vehicle_type": "copter"
    },
    "reply": {
      "id": 99,
      "user_id": 295,
      "name": "Copter",
      "type": "sitl",
      "vehicle_type": "copter",
      "mission_id": null,
      "ip": "10.71.240.97",
      "port": 5760,
      "link": "mavlink",
      "link_host": null,
      "video_room_token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
      "created_at": "2026-11-27T17:24:52.085Z",
      "updated_at": "2026-11-27T17:24:52.085Z"
    }
  },
  "POST /drone/:drone_id/params/pull": {
    "reply": {
      "success": true,
      "param_received": 220,
      "param_total": 220
    }
  },
  "POST /drone/action/arm": {
    "request": {
      "drone_id": 1
    },
    "reply": {
      "message": "The drone is armed, in STABILIZE mode.",
      "result": {
        "result": "MAV_RESULT_ACCEPTED",
        "status_text": [
          "Arming motors"
        ],
        "mode": "STABILIZE"
      }
    }
  },
  "POST /drone/action/arm_drone": {
    "request": {
      "drone_id": 6
    },
    "reply": {
      "message": "The drone is armed, in STABILIZE mode.",
      "result": {
        "result": "MAV_RESULT_ACCEPTED",
        "status_text": [
          "Arming motors"
        ],
        "mode": "STABILIZE"
      }
    }
  },
  "POST /drone/action/clear_fence": {
    "request": {
      "drone_id": 68
    },
    "reply": {
      "message": "The drone's fence is cleared.",
      "result": {
        "geofences": 0,
        "items": 0,
        "enforcement": {
          "active": false,
          "params": [
            {
              "param_id": "FENCE_ENABLE",
              "value": 0
            },
            {
              "param_id": "FENCE_AUTOENABLE",
              "value": 0
            },
            {
              "param_id": "FENCE_ACTION",
              "value": 1
            }
          ]
        },
        "warnings": []
      }
    }
  },
  "POST /drone/action/disarm_drone": {
    "request": {
      "drone_id": 9
    },
    "reply": {
      "message": "The drone is disarmed.",
      "result": {
        "result": "MAV_RESULT_ACCEPTED",
        "status_text": [
          "Disarming motors"
        ]
      }
    }
  },
  "POST /drone/action/goto_gps_location": {
    "request": {
      "drone_id": 35,
      "lat": 47.398042000000004,
      "lng": 8.545594,
      "altitude": 20
    },
    "reply": {
      "message": "The drone goes to 47.398042000000004, 8.545594 at 20 m.",
      "result": {
        "result": "MAV_RESULT_ACCEPTED",
        "status_text": []
      }
    }
  },
  "POST /drone/action/guided": {
    "request": {
      "drone_id": 20
    },
    "reply": {
      "message": "The drone is in GUIDED mode.",
      "result": {
        "result": "MAV_RESULT_ACCEPTED",
        "status_text": [],
        "mode": "GUIDED"
      }
    }
  },
  "POST /drone/action/land": {
    "request": {
      "drone_id": 16
    },
    "reply": {
      "message": "The drone is in LAND mode.",
      "result": {
        "result": "MAV_RESULT_ACCEPTED",
        "status_text": [],
        "mode": "LAND"
      }
    }
  },
  "POST /drone/action/motortest": {
    "request": {
      "drone_id": 27,
      "motor_id": 2,
      "percentage": 10
    },
    "reply": {
      "message": "Motor 2 spins at 10 %.",
      "result": {
        "result": "MAV_RESULT_ACCEPTED",
        "status_text": [
          "starting motor test"
        ]
      }
    }
  },
  "POST /drone/action/move": {
    "request": {
      "drone_id": 32,
      "x": 20,
      "y": 0,
      "z": 15
    },
    "reply": {
      "message": "The drone goes to 20 m east, 0 m north, 15 m up.",
      "result": {
        "result": "TARGET_CONFIRMED",
        "status_text": [
          "The vehicle reports this target."
        ]
      }
    }
  },
  "POST /drone/action/push_geofence": {
    "request": {
      "drone_id": 62,
      "geofence_id": 3,
      "force": true
    },
    "reply": {
      "message": "The fence is on the drone: 3 items, read back and compared. The drone will not act on it as it is set (FENCE_ENABLE = 0, FENCE_AUTOENABLE = 0, FENCE_ACTION = 1, FENCE_TYPE = 7).",
      "result": {
        "geofences": 1,
        "items": 3,
        "enforcement": {
          "active": false,
          "params": [
            {
              "param_id": "FENCE_ENABLE",
              "value": 0
            },
            {
              "param_id": "FENCE_AUTOENABLE",
              "value": 0
            },
            {
              "param_id": "FENCE_ACTION",
              "value": 1
            }
          ]
        },
        "warnings": []
      }
    }
  },
  "POST /drone/action/push_mission": {
    "request": {
      "drone_id": 48,
      "mission_id": 2
    },
    "reply": {
      "message": "The mission is on the drone: 4 items, read back and compared.",
      "result": {
        "mission_id": 2,
        "items": 4,
        "takeoff_added": true,
        "hash": "7c5a1702817e8e74e374718119ed6a9c75c6268a45e0575d94fdae592e222470",
        "adjusted": [],
        "warnings": []
      }
    }
  },
  "POST /drone/action/rtl": {
    "request": {
      "drone_id": 18
    },
    "reply": {
      "message": "The drone is in RTL mode.",
      "result": {
        "result": "MAV_RESULT_ACCEPTED",
        "status_text": [],
        "mode": "RTL"
      }
    }
  },
  "POST /drone/action/set_mode": {
    "request": {
      "drone_id": 23,
      "mode_info": {
        "custom_mode": "loiter"
      }
    },
    "reply": {
      "message": "The drone is in LOITER mode.",
      "result": {
        "result": "MAV_RESULT_ACCEPTED",
        "status_text": [],
        "mode": "LOITER"
      }
    }
  },
  "POST /drone/action/set_param": {
    "request": {
      "drone_id": 39,
      "param_id": "FENCE_ENABLE",
      "value": 1
    },
    "reply": {
      "message": "FENCE_ENABLE is 1.",
      "result": {
        "param_id": "FENCE_ENABLE",
        "value": 1
      }
    }
  },
  "POST /drone/action/set_params": {
    "request": {
      "drone_id": 42,
      "params": {
        "FENCE_ACTION": 1,
        "FENCE_ENABLE": 1
      }
    },
    "reply": {
      "message": "2 parameters are set and read back.",
      "result": {
        "written": [
          {
            "param_id": "FENCE_ACTION",
            "value": 1
          },
          {
            "param_id": "FENCE_ENABLE",
            "value": 1
          }
        ]
      }
    }
  },
  "POST /drone/action/start_mission": {
    "request": {
      "drone_id": 55
    },
    "reply": {
      "message": "The drone takes off to 30 m; switch to auto to fly the mission.",
      "result": {
        "result": "MAV_RESULT_ACCEPTED",
        "status_text": [],
        "altitude": 30
      }
    }
  },
  "POST /drone/action/sync_geofences": {
    "request": {
      "drone_id": 70
    },
    "reply": {
      "message": "The fence is on the drone: 6 items, read back and compared. The drone will not act on it as it is set (FENCE_ENABLE = 0, FENCE_AUTOENABLE = 0, FENCE_ACTION = 1, FENCE_TYPE = 7).",
      "result": {
        "geofences": 2,
        "items": 6,
        "enforcement": {
          "active": false,
          "params": [
            {
              "param_id": "FENCE_ENABLE",
              "value": 0
            },
            {
              "param_id": "FENCE_AUTOENABLE",
              "value": 0
            },
            {
              "param_id": "FENCE_ACTION",
              "value": 1
            }
          ]
        },
        "warnings": []
      }
    }
  },
  "POST /drone/action/takeoff": {
    "request": {
      "drone_id": 11,
      "altitude": 12
    },
    "reply": {
      "message": "The drone takes off to 12 m.",
      "result": {
        "result": "MAV_RESULT_ACCEPTED",
        "status_text": []
      }
    }
  },
  "POST /drone/action/video-source": {
    "request": {
      "drone_id": 45,
      "source": "CAMERA"
    },
    "reply": {
      "message": "The video source is CAMERA.",
      "result": {
        "source": "CAMERA",
        "listeners": 1
      }
    }
  },
  "POST /executions/:execution_id/archive": {
    "reply": {
      "execution_id": 15,
      "status": "pending",
      "url": null,
      "expires_at": null,
      "size": null,
      "sha256": null,
      "made_at": null,
      "error": null,
      "success": true,
      "data": {
        "execution_id": 15,
        "status": "pending",
        "url": null,
        "expires_at": null,
        "size": null,
        "sha256": null,
        "made_at": null,
        "error": null
      },
      "message": "OK"
    }
  },
  "POST /executions/:execution_id/complete": {
    "request": {
      "status": "error",
      "notes": "a motor failed"
    },
    "reply": {
      "id": 5,
      "drone_id": 116,
      "user_id": 329,
      "mission_id": null,
      "mission_name": null,
      "status": "error",
      "notes": "a motor failed",
      "started_at": "2026-11-27T17:24:53.913Z",
      "completed_at": "2026-11-27T17:24:53.966Z",
      "plan_state": "unread",
      "plan_hash": null,
      "verified_plan_hash": null,
      "log_asset_id": null,
      "report": "queued",
      "report_sent_at": null,
      "report_reason": null,
      "success": true,
      "data": {
        "id": 5,
        "drone_id": 116,
        "user_id": 329,
        "mission_id": null,
        "mission_name": null,
        "status": "error",
        "notes": "a motor failed",
        "started_at": "2026-11-27T17:24:53.913Z",
        "completed_at": "2026-11-27T17:24:53.966Z",
        "plan_state": "unread",
        "plan_hash": null,
        "verified_plan_hash": null,
        "log_asset_id": null,
        "report": "queued",
        "report_sent_at": null,
        "report_reason": null
      },
      "message": "OK"
    }
  },
  "POST /executions/:execution_id/log": {
    "request": {
      "asset_id": 12
    },
    "reply": {
      "execution_id": 6,
      "asset_id": 12,
      "status": "pending",
      "success": true,
      "data": {
        "execution_id": 6,
        "asset_id": 12,
        "status": "pending"
      },
      "message": "OK"
    }
  },
  "POST /executions/:execution_id/send-report": {
    "request": {
      "email": "pilot@example.com"
    },
    "reply": {
      "success": true,
      "data": {
        "email": "pilot@example.com"
      },
      "message": "Sent."
    }
  },
  "POST /executions/start": {
    "request": {},
    "reply": {
      "id": 4,
      "drone_id": 115,
      "user_id": 328,
      "mission_id": null,
      "mission_name": null,
      "status": "in_progress",
      "notes": null,
      "started_at": "2026-11-27T17:24:53.828Z",
      "completed_at": null,
      "plan_state": "unread",
      "plan_hash": null,
      "verified_plan_hash": null,
      "log_asset_id": null,
      "report": "none",
      "report_sent_at": null,
      "report_reason": null,
      "success": true,
      "data": {
        "id": 4,
        "drone_id": 115,
        "user_id": 328,
        "mission_id": null,
        "mission_name": null,
        "status": "in_progress",
        "notes": null,
        "started_at": "2026-11-27T17:24:53.828Z",
        "completed_at": null,
        "plan_state": "unread",
        "plan_hash": null,
        "verified_plan_hash": null,
        "log_asset_id": null,
        "report": "none",
        "report_sent_at": null,
        "report_reason": null
      },
      "message": "OK"
    }
  },
  "POST /geofence": {
    "request": {
      "name": "field",
      "type": "polygon"
    },
    "reply": {
      "id": 25,
      "name": "field",
      "type": "polygon",
      "fence_type": "exclusion",
      "enabled": true,
      "geofence_points": []
    }
  },
  "POST /geofence/point": {
    "request": [
      {
        "lat": 47.1,
        "lng": 8.2,
        "sequence": 1,
        "command": 5002,
        "geofence_id": 11
      },
      {
        "lat": 47.1,
        "lng": 8.2,
        "sequence": 2,
        "command": 5002,
        "geofence_id": 11
      },
      "nonsense"
    ],
    "reply": {
      "id": 11,
      "name": "field",
      "type": "polygon",
      "fence_type": "exclusion",
      "enabled": true,
      "geofence_points": [
        {
          "id": 27,
          "geofence_id": 11,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 1,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "command": 5002
        }
      ]
    }
  },
  "POST /login": {
    "request": {
      "username": "pilot@example.com",
      "password": "correct horse battery"
    },
    "reply": {
      "access_token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
      "refresh_token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl"
    }
  },
  "POST /mission": {
    "request": {
      "name": "survey"
    },
    "reply": {
      "id": 49,
      "name": "survey",
      "mission_points": []
    }
  },
  "POST /mission/point": {
    "request": [
      {
        "lat": 47.1,
        "lng": 8.2,
        "altitude": 30,
        "type": "fly",
        "sequence": 1,
        "mission_id": 33
      }
    ],
    "reply": {
      "id": 33,
      "name": "survey",
      "mission_points": [
        {
          "id": 79,
          "mission_id": 33,
          "lat": 47.1,
          "lng": 8.2,
          "sequence": 1,
          "frame": 3,
          "param1": 0,
          "param2": 0,
          "param3": 0,
          "param4": 0,
          "altitude": 30,
          "type": "fly",
          "label": null,
          "command": 16,
          "is_current": false,
          "autocontinue": true
        }
      ]
    }
  },
  "POST /register/:token": {
    "request": {
      "password": "a long enough one"
    },
    "reply": {
      "success": true,
      "data": {
        "id": 17,
        "username": "pilot@example.com",
        "level": "CUSTOMER",
        "is_active": true,
        "ip": "10.70.0.18",
        "created_at": "2026-11-27T17:24:18.902Z"
      },
      "message": "Registered. Sign in with the new password."
    }
  },
  "POST /report-emails/confirm/:token": {
    "reply": {
      "message": "pilot@example.com is confirmed: reports are sent to it from now on."
    }
  },
  "POST /reset-password": {
    "request": {
      "email": "pilot@example.com"
    },
    "reply": {
      "success": true,
      "data": {
        "message": "A mail with a link is on its way."
      },
      "message": "OK"
    }
  },
  "POST /update-password": {
    "request": {
      "password": "quite another one"
    },
    "reply": {
      "success": true,
      "data": {
        "id": 27,
        "username": "pilot@example.com",
        "level": "CUSTOMER",
        "is_active": true,
        "ip": "10.70.0.27",
        "created_at": "2026-11-27T17:24:19.469Z"
      },
      "message": "The password was updated."
    }
  },
  "POST /verify-email": {
    "request": {
      "email": "pilot@example.com"
    },
    "reply": {
      "success": true,
      "data": {
        "message": "A mail with a link is on its way."
      },
      "message": "OK"
    }
  },
  "PUT /calendar/events/:event_id": {
    "request": {
      "execution_id": 1,
      "status": "completed"
    },
    "reply": {
      "success": true,
      "data": {
        "id": 17,
        "user_id": 283,
        "drone_id": 92,
        "mission_id": 23,
        "execution_id": 1,
        "title": "Survey",
        "description": null,
        "scheduled_time": "2030-05-06T08:00:00.000Z",
        "status": "completed",
        "recurrence_rule": null,
        "created_at": "2026-11-27T17:24:51.050Z",
        "updated_at": "2026-11-27T17:24:51.068Z"
      },
      "message": "OK"
    }
  },
  "PUT /calendar/events/:event_id/occurrences/status": {
    "request": {
      "occurrence_time": "2030-05-08T10:00:00+02:00",
      "status": "completed",
      "execution_id": 3
    },
    "reply": {
      "success": true,
      "data": {
        "id": 21,
        "user_id": 290,
        "drone_id": 96,
        "mission_id": 27,
        "execution_id": 3,
        "title": "Survey",
        "description": null,
        "scheduled_time": "2030-05-08T08:00:00.000Z",
        "status": "completed",
        "recurrence_rule": "FREQ=DAILY;COUNT=5",
        "created_at": "2026-11-27T17:24:51.674Z",
        "updated_at": "2026-11-27T17:24:51.674Z",
        "is_occurrence": true,
        "original_scheduled_time": "2030-05-06T08:00:00.000Z"
      },
      "message": "OK"
    }
  },
  "PUT /drone/:drone_id": {
    "request": {
      "type": "sitl",
      "name": "Renamed",
      "mission_id": 30
    },
    "reply": {
      "id": 102,
      "user_id": 303,
      "name": "Renamed",
      "type": "sitl",
      "vehicle_type": "copter",
      "mission_id": 30,
      "ip": "10.71.240.99",
      "port": 5760,
      "link": "mavlink",
      "link_host": null,
      "video_room_token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2lnbmF0dXJl",
      "created_at": "2026-11-27T17:24:52.216Z",
      "updated_at": "2026-11-27T17:24:52.257Z"
    }
  },
  "PUT /user/report-emails": {
    "request": {
      "extra_emails": "pilot@example.com, pilot@example.com"
    },
    "reply": {
      "email": "pilot@example.com",
      "extra_emails": "pilot@example.com,pilot@example.com",
      "all_recipients": [
        "pilot@example.com",
        "pilot@example.com",
        "pilot@example.com"
      ],
      "unconfirmed_emails": [
        "pilot@example.com",
        "pilot@example.com"
      ],
      "success": true,
      "data": {
        "email": "pilot@example.com",
        "extra_emails": "pilot@example.com,pilot@example.com",
        "all_recipients": [
          "pilot@example.com",
          "pilot@example.com",
          "pilot@example.com"
        ],
        "unconfirmed_emails": [
          "pilot@example.com",
          "pilot@example.com"
        ]
      },
      "message": "OK"
    }
  }
};
