{{/* What tells the release's own series from all others, as matchers of PromQL. */}}
{{- define "fleet.monitoring.scope" -}}
namespace="{{ .Release.Namespace }}",
{{- if .Values.monitoring.podMonitor -}}
job="{{ .Release.Namespace }}/{{ .Release.Name }}"
{{- else -}}
pod=~"{{ .Release.Name }}-(gateway|relay|worker|tunnel)-.+"
{{- end }}
{{- end }}
