{{/* Secrets that are made in the cluster, as JSON: Secret → key → kind (`admin make-secrets`). */}}
{{- define "fleet.generatedSecrets" -}}
{{- $all := dict -}}
{{- if not .Values.secrets.existingSecret -}}
{{- $_ := set $all (include "fleet.secret.keys" .) (dict "JWT_SECRET" "password" "EDGE_SECRET" "password" "TUNNEL_API_SECRET" "password" "GATEWAY_PEER_SECRET" "password" "ARCHIVE_SIGNING_KEY" "signing") -}}
{{- end -}}
{{- if and .Values.tunnel.enabled (not .Values.tunnel.existingSecret) -}}
{{- $_ := set $all (include "fleet.secret.hub" .) (dict "USERS_PRIVATE_KEY" "wireguard" "DRONES_PRIVATE_KEY" "wireguard") -}}
{{- end -}}
{{- if and .Values.postgres.enabled (not .Values.postgres.existingSecret) -}}
{{- $_ := set $all (include "fleet.secret.database" .) (dict "password" "password" "tunnel-password" "password") -}}
{{- end -}}
{{- if and .Values.redis.enabled (not .Values.redis.existingSecret) -}}
{{- $_ := set $all (include "fleet.secret.redis" .) (dict "password" "password" "edge-password" "password") -}}
{{- end -}}
{{- if and .Values.minio.enabled (not .Values.minio.existingSecret) -}}
{{- $_ := set $all (include "fleet.secret.objects" .) (dict "secret-key" "password" "gateway-secret-key" "password" "worker-secret-key" "password" "tunnel-secret-key" "password") -}}
{{- end -}}
{{- if and .Values.janus.enabled (not .Values.janus.existingSecret) -}}
{{- $_ := set $all (include "fleet.secret.janus" .) (dict "api-secret" "password" "admin-key" "password") -}}
{{- end -}}
{{- $all | toJson -}}
{{- end }}
