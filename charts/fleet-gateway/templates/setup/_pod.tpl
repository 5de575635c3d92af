{{- define "fleet.setup.pod" -}}
{{- $me := dict "root" . "component" "setup" }}
{{/* One after the other, each safe to repeat: {name, args} in our image, {name, command} in MinIO's. */}}
{{- $steps := list (dict "name" "migrate" "args" (list "node" "dist/cmd/migrate.js")) }}
{{- $bundled := .Values.postgres.enabled }}
{{- $role := and .Values.tunnel.enabled (or $bundled (and .Values.external.database.tunnelUrl .Values.external.database.createTunnelRole)) }}
{{- if $role }}{{ $steps = append $steps (dict "name" "tunnel-role" "args" (list "node" "dist/cmd/admin.js" "tunnel-role")) }}{{ end }}
{{- if .Values.minio.enabled }}
{{- $steps = append $steps (dict "name" "create-buckets" "args" (list "node" "dist/cmd/admin.js" "create-buckets")) }}
{{- $steps = append $steps (dict "name" "create-store-users" "command" (list "sh" "/store-users/create")) }}
{{- end }}
{{- if and .Values.tunnel.enabled .Values.setup.publishCompose }}
{{- $image := list }}
{{- with .Values.setup.onboardImage }}{{ $image = list "--image" . }}{{ end }}
{{- $steps = append $steps (dict "name" "publish-compose" "args" (concat (list "node" "dist/cmd/admin.js" "publish-compose") $image)) }}
{{- end -}}
metadata:
  labels: {{- include "fleet.labels" $me | nindent 4 }}
  {{- if .Values.minio.enabled }}
  annotations:
    checksum/files: {{ include "fleet.storeUsers.files" . | fromYaml | toJson | sha256sum }}
  {{- end }}
spec:
  serviceAccountName: {{ include "fleet.name" $me }}
  automountServiceAccountToken: false
  restartPolicy: OnFailure
  enableServiceLinks: false
  {{- $pullSecrets := .Values.image.pullSecrets }}
  {{- if .Values.minio.enabled }}{{ $pullSecrets = concat $pullSecrets .Values.minio.image.pullSecrets | uniq }}{{ end }}
  {{- include "fleet.pod.pullSecrets" $pullSecrets | nindent 2 }}
  {{- include "fleet.pod.nodeSelection" .Values.setup | nindent 2 }}
  {{- include "fleet.pod.security" . | nindent 2 }}
  {{- range $at, $step := $steps }}
  {{- if eq $at (sub (len $steps) 1) }}
  containers:
  {{- else if eq $at 0 }}
  initContainers:
  {{- end }}
    - name: {{ $step.name }}
      {{- if $step.command }}
      image: {{ $.Values.minio.image.repository }}:{{ $.Values.minio.image.tag }}
      imagePullPolicy: {{ $.Values.minio.image.pullPolicy }}
      command: {{ toJson $step.command }}
      {{- else }}
      image: {{ include "fleet.image" (dict "root" $ "image" $.Values.image) }}
      imagePullPolicy: {{ $.Values.image.pullPolicy }}
      args: {{ toJson $step.args }}
      {{- end }}
      env:
        {{- if eq $step.name "migrate" }}
        - {name: LOG_LEVEL, value: {{ $.Values.logLevel | quote }}}
        {{- include "fleet.env.database" $ | nindent 8 }}
        {{- else if eq $step.name "tunnel-role" }}
        {{- include "fleet.env.database" $ | nindent 8 }}
        {{- include "fleet.env.tunnelDatabase" (dict "root" $ "name" "TUNNEL_DATABASE_URL") | nindent 8 }}
        {{- else if eq $step.name "create-store-users" }}
        {{- $objects := include "fleet.secret.objects" $ }}
        - {name: STORE, value: {{ $.Release.Name }}-minio:9000}
        - {name: OWNER, value: fleet}
        {{- range $name, $key := dict "OWNER_SECRET" "secret-key" "GATEWAY_SECRET" "gateway-secret-key" "WORKER_SECRET" "worker-secret-key" "TUNNEL_SECRET" "tunnel-secret-key" }}
        {{- include "fleet.env.secret" (dict "name" $name "secret" $objects "key" $key) | nindent 8 }}
        {{- end }}
        {{- else }}
        {{- include "fleet.env.store" (dict "root" $ "user" "") | nindent 8 }}
        - {name: S3_BUCKET, value: {{ $.Values.objects.bucket | quote }}}
        {{- if eq $step.name "create-buckets" }}
        - {name: S3_VPN_BUCKET, value: {{ $.Values.objects.vpnBucket | quote }}}
        {{- end }}
        {{- end }}
        {{- include "fleet.authorities.env" $ | nindent 8 }}
      {{- include "fleet.container.security" $ | nindent 6 }}
      resources: {{- toYaml $.Values.setup.resources | nindent 8 }}
      {{- if $step.command }}
      volumeMounts:
        - {name: store-users, mountPath: /store-users, readOnly: true}
        - {name: scratch, mountPath: /tmp}
      {{- else }}
      {{- with include "fleet.authorities.mount" $ }}
      volumeMounts: {{- . | nindent 8 }}
      {{- end }}
      {{- end }}
  {{- end }}
  {{- if or .Values.minio.enabled .Values.external.authorities.existingConfigMap }}
  volumes:
    {{- if .Values.minio.enabled }}
    - {name: store-users, configMap: {name: {{ .Release.Name }}-store-users}}
    - {name: scratch, emptyDir: {sizeLimit: 16Mi}}
    {{- end }}
    {{- include "fleet.authorities.volume" . | nindent 4 }}
  {{- end }}
{{- end }}
