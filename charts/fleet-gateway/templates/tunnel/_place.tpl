{{/* The hub nodes, and that nothing drives a pod away from there. */}}
{{- define "fleet.tunnel.place" -}}
{{- if .Values.tunnel.priorityClass.name }}
priorityClassName: {{ .Values.tunnel.priorityClass.name }}
{{- else if .Values.tunnel.priorityClass.create }}
priorityClassName: {{ .Release.Namespace }}-{{ .Release.Name }}-tunnel
{{- end }}
nodeSelector: {{- toYaml .Values.tunnel.nodeSelector | nindent 2 }}
{{- with .Values.tunnel.nodes }}
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        # A term for each: a field is compared with one value only.
        {{- range . }}
        - matchFields: [{key: metadata.name, operator: In, values: [{{ . }}]}]
        {{- end }}
{{- end }}
{{- with .Values.tunnel.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
