{{/* The hub nodes, and that nothing drives a pod away from there. */}}
{{- define "fleet.tunnel.place" -}}
{{- if .Values.tunnel.priorityClass.name }}
priorityClassName: {{ .Values.tunnel.priorityClass.name | quote }}
{{- else if .Values.tunnel.priorityClass.create }}
priorityClassName: {{ .Release.Namespace }}-{{ .Release.Name }}-tunnel
{{- end }}
nodeSelector: {{- toYaml .Values.tunnel.nodeSelector | nindent 2 }}
{{- with include "fleet.tunnel.nodes" . }}
affinity: {{- . | nindent 2 }}
{{- end }}
{{- with .Values.tunnel.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

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
