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

{{/* A name in the whole cluster. Of its parts the namespace alone has no dot, so that no two releases come to the same one. */}}
{{- define "fleet.tunnel.priorityClass" -}}{{ .Release.Namespace }}.{{ .Release.Name }}-tunnel{{- end }}

{{/* An affinity for the nodes that are chosen by name; empty when none are. */}}
{{- define "fleet.tunnel.nodes" -}}
{{- with .Values.tunnel.nodes -}}
nodeAffinity:
  requiredDuringSchedulingIgnoredDuringExecution:
    nodeSelectorTerms:
      # A term for each: a field is compared with one value only.
      {{- range . }}
      - matchFields: [{key: metadata.name, operator: In, values: [{{ . | quote }}]}]
      {{- end }}
{{- end }}
{{- end }}
