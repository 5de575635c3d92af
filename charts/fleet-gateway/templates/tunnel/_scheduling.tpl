{{/* The hub nodes, the tolerations for their taints, and a priority above other pods. */}}
{{- define "fleet.tunnel.scheduling" -}}
{{- if .Values.tunnel.priorityClass.name }}
priorityClassName: {{ .Values.tunnel.priorityClass.name | quote }}
{{- else if .Values.tunnel.priorityClass.create }}
priorityClassName: {{ include "fleet.tunnel.priorityClass" . }}
{{- end }}
nodeSelector: {{- toYaml .Values.tunnel.nodeSelector | nindent 2 }}
{{- with include "fleet.tunnel.nodes" . }}
affinity: {{- . | nindent 2 }}
{{- end }}
{{- with .Values.tunnel.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* A name that is unique in the cluster. Of its parts only the namespace has no dot, so no two releases get the same name. */}}
{{- define "fleet.tunnel.priorityClass" -}}{{ .Release.Namespace }}.{{ .Release.Name }}-tunnel{{- end }}

{{/* An affinity for the nodes of tunnel.nodes; empty without them. */}}
{{- define "fleet.tunnel.nodes" -}}
{{- with .Values.tunnel.nodes -}}
nodeAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    nodeSelectorTerms:
      # One term for each node, because a field is compared with one value only.
      {{- range . }}
      - matchFields: [{key: metadata.name, operator: In, values: [{{ . | quote }}]}]
      {{- end }}
{{- end }}
{{- end }}

{{/*
How the pod's probe asks the daemon. While it waits for the one before it on the node, that one answers at its port, and may
not be ready: this is ready to replace it.
*/}}
{{- define "fleet.tunnel.readiness" -}}
exec:
  command:
    - bash
    - -c
    - |
      [ ! -e /run/fleet-tunnel/waiting ] || exit 0
      exec 3<>"/dev/tcp/$HOST/5050"
      printf 'GET /readyz HTTP/1.0\r\n\r\n' >&3
      read -r _ status _ <&3
      [ "$status" = 200 ]
{{- end }}
