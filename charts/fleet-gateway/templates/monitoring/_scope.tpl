{{/* PromQL matchers that select the release's own series. */}}
{{- define "fleet.monitoring.scope" -}}
namespace="{{ .Release.Namespace }}",
{{- if .Values.monitoring.podMonitor -}}
job="{{ .Release.Namespace }}/{{ .Release.Name }}"
{{- else -}}
pod=~"{{ .Release.Name }}-(gateway|relay|worker|tunnel)-.+"
{{- end }}
{{- end }}
