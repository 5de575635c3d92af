{{/* Variables in groups, as the processes' configuration schemas have them. */}}

{{- define "fleet.env.process" -}}
# Every address, of IPv6 and of IPv4.
- {name: HOST, value: "::"}
{{ include "fleet.env.common" .root }}
{{- end }}

{{- define "fleet.env.common" -}}
- {name: LOG_LEVEL, value: {{ .Values.logLevel | quote }}}
- {name: DEPLOYMENT, value: {{ .Values.deployment | quote }}}
- {name: SHUTDOWN_DRAIN_SECONDS, value: {{ .Values.drainSeconds | quote }}}
{{- include "fleet.authorities.env" . }}
{{- end }}

{{- define "fleet.env.access" -}}
- {name: ACCESS_PROFILE, value: {{ .Values.accessProfile | quote }}}
- {name: TRUSTED_PROXIES, value: {{ .Values.trustedProxies | join "," | quote }}}
{{- end }}

{{/* {name, secret, key} */}}
{{- define "fleet.env.secret" -}}
- {name: {{ .name }}, valueFrom: {secretKeyRef: {name: {{ .secret | quote }}, key: {{ .key }}}}}
{{- end }}

{{/* {name, secret, key, user, server}: a URL of a bundled server, into which the kubelet puts the password. */}}
{{- define "fleet.env.url" -}}
{{ include "fleet.env.secret" (dict "name" (printf "%s_PASSWORD" .name) "secret" .secret "key" .key) }}
- {name: {{ .name }}, value: "{{ .server | replace "://" (printf "://%s:$(%s_PASSWORD)@" .user .name) }}"}
{{- end }}

{{- define "fleet.env.database" -}}
{{- $secret := include "fleet.secret.database" . -}}
{{- if .Values.postgres.enabled -}}
{{- include "fleet.env.url" (dict "name" "DATABASE_URL" "secret" $secret "key" "password" "user" "fleet" "server" (include "fleet.postgres" .)) }}
{{- else }}
{{- include "fleet.env.secret" (dict "name" "DATABASE_URL" "secret" $secret "key" "url") }}
{{- if .Values.external.database.directUrl }}
{{ include "fleet.env.secret" (dict "name" "DATABASE_DIRECT_URL" "secret" $secret "key" "direct-url") }}
{{- end }}
{{- end }}
{{- end }}

{{/* {root, name}: the database with the role that may only read. */}}
{{- define "fleet.env.tunnelDatabase" -}}
{{- $secret := include "fleet.secret.database" .root -}}
{{- if .root.Values.postgres.enabled }}
{{- include "fleet.env.url" (dict "name" .name "secret" $secret "key" "tunnel-password" "user" "fleet_tunnel" "server" (include "fleet.postgres" .root)) }}
{{- else }}
{{- include "fleet.env.secret" (dict "name" .name "secret" $secret "key" "tunnel-url") }}
{{- end }}
{{- end }}

{{- define "fleet.postgres" -}}postgres://{{ .Release.Name }}-postgres:5432/fleet{{- end }}

{{/* {root, name, user}: Redis, as one of its two users: `default` or `edge`. */}}
{{- define "fleet.env.redis" -}}
{{- $secret := include "fleet.secret.redis" .root -}}
{{- if .root.Values.redis.enabled }}
{{- $password := eq .user "edge" | ternary "edge-password" "password" -}}
{{- include "fleet.env.url" (dict "name" .name "secret" $secret "key" $password "user" .user "server" (printf "redis://%s-redis:6379" .root.Release.Name)) }}
{{- else }}
{{- include "fleet.env.secret" (dict "name" .name "secret" $secret "key" (eq .user "edge" | ternary "edge-url" "url")) }}
{{- end }}
{{- end }}

{{/* {root, user}: the store as our own processes reach it, with this user of the bundled store; its owner without `user`. */}}
{{- define "fleet.env.store" -}}
{{- $user := .user -}}
{{- with .root -}}
{{- $own := eq $user "tunnel" | ternary .Values.external.objects.tunnelSecret "" -}}
{{- $secret := $own | default .Values.external.objects.existingSecret -}}
{{- if .Values.minio.enabled }}
- {name: S3_ENDPOINT, value: "http://{{ .Release.Name }}-minio:9000"}
{{- else if .Values.external.objects.endpoint }}
- {name: S3_ENDPOINT, value: {{ .Values.external.objects.endpoint | quote }}}
{{- end }}
- {name: S3_REGION, value: {{ .Values.objects.region | quote }}}
{{- if and .Values.minio.enabled $user }}
- {name: S3_ACCESS_KEY_ID, value: fleet-{{ $user }}}
{{ include "fleet.env.secret" (dict "name" "S3_SECRET_ACCESS_KEY" "secret" (include "fleet.secret.objects" .) "key" (printf "%s-secret-key" $user)) }}
{{- else if .Values.minio.enabled }}
- {name: S3_ACCESS_KEY_ID, value: fleet}
{{ include "fleet.env.secret" (dict "name" "S3_SECRET_ACCESS_KEY" "secret" (include "fleet.secret.objects" .) "key" "secret-key") }}
{{- else if $secret }}
{{ include "fleet.env.secret" (dict "name" "S3_ACCESS_KEY_ID" "secret" $secret "key" "access-key") }}
{{ include "fleet.env.secret" (dict "name" "S3_SECRET_ACCESS_KEY" "secret" $secret "key" "secret-key") }}
{{- end }}
{{- end }}
{{- end }}

{{- define "fleet.env.buckets" -}}
- {name: S3_BUCKET, value: {{ .Values.objects.bucket | quote }}}
- {name: S3_VPN_BUCKET, value: {{ .Values.objects.vpnBucket | quote }}}
{{- end }}

{{/* The store as clients with presigned URLs reach it. Drones go through the edge when there is one. */}}
{{- define "fleet.env.presign" -}}
{{- if .Values.objects.publicEndpoint }}
- {name: S3_PUBLIC_ENDPOINT, value: {{ .Values.objects.publicEndpoint | quote }}}
{{- end }}
{{- if and .Values.tunnel.enabled (or .Values.minio.enabled .Values.external.objects.endpoint) }}
- {name: S3_DRONE_ENDPOINT, value: "http://10.71.0.1:8090"}
{{- end }}
{{- end }}

{{- define "fleet.env.mail" -}}
{{- if or .Values.mail.url .Values.mail.existingSecret }}
{{ include "fleet.env.secret" (dict "name" "SMTP_URL" "secret" (include "fleet.secret.mail" .) "key" "url") }}
{{- else }}
# No mail server is set: mails are refused at once, and the release's notes say so.
- {name: SMTP_URL, value: "smtp://127.0.0.1:25"}
{{- end }}
- {name: MAIL_FROM, value: {{ .Values.mail.from | quote }}}
- {name: PUBLIC_ORIGIN, value: {{ .Values.publicOrigin | quote }}}
{{- end }}

{{/* {values} → further variables, in a fixed order. Values files have all numbers as floats: 1048576 is not 1.048576e+06. */}}
{{- define "fleet.env.more" -}}
{{- range $name, $value := .env }}
{{- $isWhole := and (kindIs "float64" $value) (eq (floor $value) $value) }}
- {name: {{ $name }}, value: {{ $isWhole | ternary (int64 $value) $value | quote }}}
{{- end }}
{{- end }}
