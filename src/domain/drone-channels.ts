/** Topics of a drone's channels in Redis, each channel named `{drone_ip}:{topic}`. */
export const VIDEO_TOPICS = ["video_source", "video_room_details", "video_room_state"] as const;
export const TOPICS_TO_DRONE = ["gamepad_input", ...VIDEO_TOPICS] as const;
export const TOPICS_FROM_DRONE = ["output", "aruco_tracking"] as const;
