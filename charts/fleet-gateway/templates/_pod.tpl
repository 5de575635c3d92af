{{/* Security contexts of every pod and container except the tunnel's: an unprivileged user, a read-only root file system. */}}
{{- define "fleet.pod.security" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "fleet.container.security" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{- define "fleet.pod.pullSecrets" -}}
{{- with . }}
imagePullSecrets:
{{- range . }}
  - name: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* Of every pod. The namespace's Services are no variables in it: one that is called `gateway` would be GATEWAY_PORT. */}}
{{- define "fleet.pod.every" -}}
enableServiceLinks: false
{{- include "fleet.pod.pullSecrets" .Values.image.pullSecrets }}
{{- end }}

{{/* {nodeSelector, tolerations, affinity}, each optional: the nodes that may run the pod. */}}
{{- define "fleet.pod.nodeSelection" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* {root, component, values}: service account, grace period, spread over nodes and zones, node selection. */}}
{{- define "fleet.pod.spec" -}}
serviceAccountName: {{ include "fleet.name" . }}
{{ include "fleet.pod.every" .root }}
# The proxy's endpoints lag behind: the pod goes on serving for 5 s, then drains.
terminationGracePeriodSeconds: {{ add .root.Values.drainSeconds 15 }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "fleet.selector" . | nindent 8 }}
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "fleet.selector" . | nindent 8 }}
{{- include "fleet.pod.nodeSelection" .values }}
{{- end }}

{{/*
{root, readyPath, readiness, port}: probes of a process that serves /healthz and /readyz, on its port `http` if none is
given. One that a debugger may hold is not ended for it.
*/}}
{{- define "fleet.probes" -}}
{{- $port := .port | default "http" }}
{{- if not .root.Values.development.debug }}
startupProbe:
  httpGet: {path: /healthz, port: {{ $port }}}
  periodSeconds: 2
  failureThreshold: 45
livenessProbe:
  httpGet: {path: /healthz, port: {{ $port }}}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 4
{{- end }}
readinessProbe:
  {{- with .readiness }}
  {{- . | nindent 2 }}
  {{- else }}
  httpGet: {path: {{ .readyPath | default "/readyz" | quote }}, port: {{ $port }}}
  {{- end }}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}

{{- define "fleet.preStop" -}}
lifecycle:
  preStop:
    exec: {command: [sleep, "5"]}
{{- end }}

{{/* The schema is made by this release's Job; a pod that came first waits for it. */}}
{{- define "fleet.waitForSchema" -}}
- name: wait-for-schema
  image: {{ include "fleet.image" (dict "root" . "image" .Values.image) }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args: [node, dist/cmd/migrate.js, --wait]
  env:
    - {name: LOG_LEVEL, value: {{ .Values.logLevel | quote }}}
    {{- include "fleet.env.database" . | nindent 4 }}
    {{- include "fleet.authorities.env" . | nindent 4 }}
  {{- include "fleet.container.security" . | nindent 2 }}
  resources: {{- toYaml .Values.setup.resources | nindent 4 }}
  {{- with include "fleet.authorities.mount" . }}
  volumeMounts: {{- . | nindent 4 }}
  {{- end }}
{{- end }}

{{/*
{root, port, readsMail}: annotations for Prometheus, and a checksum that restarts the pod when its Secret of the values
changes.
*/}}
{{- define "fleet.pod.annotations" -}}
{{- $all := dict -}}
{{- if not .root.Values.monitoring.podMonitor -}}
{{- $all = dict "prometheus.io/scrape" "true" "prometheus.io/port" (toString .port) "prometheus.io/path" "/metrics" -}}
{{- end -}}
{{- if and .readsMail .root.Values.mail.url (not .root.Values.mail.existingSecret) -}}
{{- /* By scrypt: users that may read Deployments but no Secrets must not be able to guess the password from a plain hash. */ -}}
{{- $_ := set $all "checksum/mail" (derivePassword 1 "long" .root.Values.mail.url .root.Release.Name "mail" | sha256sum) -}}
{{- end -}}
{{- with $all }}
annotations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Certificate authorities that Node does not know, for external servers. */}}
{{- define "fleet.authorities.env" -}}
{{- if .Values.external.authorities.existingConfigMap }}
- {name: NODE_EXTRA_CA_CERTS, value: /etc/authorities/certificates.pem}
{{- end }}
{{- end }}

{{- define "fleet.authorities.mount" -}}
{{- if .Values.external.authorities.existingConfigMap }}
- {name: authorities, mountPath: /etc/authorities, readOnly: true}
{{- end }}
{{- end }}

{{- define "fleet.authorities.volume" -}}
{{- with .Values.external.authorities }}
{{- if .existingConfigMap }}
- name: authorities
  configMap: {name: {{ .existingConfigMap | quote }}, items: [{key: {{ .key | quote }}, path: certificates.pem}]}
{{- end }}
{{- end }}
{{- end }}

{{/* {root, component}: an identity without a token. */}}
{{- define "fleet.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ include "fleet.name" . }}
  labels: {{- include "fleet.labels" . | nindent 4 }}
  {{- with index (.root.Values.serviceAccounts.annotations | default dict) .component }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}

{{/* {root, process}: the arguments that run it, as a JSON list. */}}
{{- define "fleet.program" -}}
{{- $arguments := .root.Values.development.debug | ternary (list "node" "--inspect") (list "node") -}}
{{- if .root.Values.development.sync -}}
{{- concat $arguments (list "--watch" "--require" "./.ci/compile-on-load.cjs" (printf "cmd/%s.ts" .process)) | toJson -}}
{{- else -}}
{{- append $arguments (printf "dist/cmd/%s.js" .process) | toJson -}}
{{- end -}}
{{- end }}

{{/*
For development: the sources in a writable volume. Files are synced into every running container of the image, so each
needs the mount, also a container that does not run them.
*/}}
{{- define "fleet.sync.volume" -}}
{{- if .Values.development.sync }}
- {name: sources, emptyDir: {}}
{{- end }}
{{- end }}

{{- define "fleet.sync.mount" -}}
{{- if .Values.development.sync }}
- {name: sources, mountPath: /app/src}
{{- end }}
{{- end }}

{{- define "fleet.sync.copy" -}}
{{- if .Values.development.sync }}
- name: copy-sources
  image: {{ include "fleet.image" (dict "root" . "image" .Values.image) }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  args: [cp, -r, /app/src/., /sources]
  {{- include "fleet.container.security" . | nindent 2 }}
  resources: {{- toYaml .Values.setup.resources | nindent 4 }}
  volumeMounts:
    - {name: sources, mountPath: /sources}
{{- end }}
{{- end }}
