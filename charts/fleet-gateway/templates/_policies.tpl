{{/* Parts of the NetworkPolicies. */}}
{{- define "fleet.policy.head" }}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "fleet.name" . }}
  labels: {{- include "fleet.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels: {{- include "fleet.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
{{- end }}
{{/* {root, server, bundled, own, external, ports}: to the bundled server's pod and port, or to the external one's. */}}
{{- define "fleet.policy.to" }}
{{- $ports := .bundled | ternary (list .own) .ports }}
- ports: {{ template "fleet.policy.tcp" $ports }}
  {{- if .bundled }}
  to:
    - podSelector:
        matchLabels:
          app.kubernetes.io/name: {{ .server }}
          app.kubernetes.io/instance: {{ .root.Release.Name }}
  {{- else }}
  {{- with .external.cidrs }}
  to:
    {{- range . }}
    - ipBlock: {cidr: {{ . | quote }}}
    {{- end }}
  {{- end }}
  {{- end }}
{{- end }}
{{/* A list of ports → as a rule has them. */}}
{{- define "fleet.policy.tcp" -}}
[{{ range $at, $port := . }}{{ if $at }}, {{ end }}{protocol: TCP, port: {{ $port }}}{{ end }}]
{{- end }}
{{- define "fleet.policy.dns" }}
- ports: [{protocol: UDP, port: 53}, {protocol: TCP, port: 53}]
{{- end }}
{{/* A pod without a key of the store gets the keys of its role (IRSA) from the cloud's STS, which has another address. */}}
{{- define "fleet.policy.role" }}
{{- if not (or .Values.minio.enabled .Values.external.objects.existingSecret) }}
- ports: {{ template "fleet.policy.tcp" (list 443) }}
{{- end }}
{{- end }}
{{- define "fleet.policy.mail" }}
{{- if .Values.mail.existingSecret }}
- ports: {{ template "fleet.policy.tcp" .Values.mail.ports }}
{{- else if .Values.mail.url }}
- ports: {{ template "fleet.policy.tcp" (list (include "fleet.portOf" .Values.mail.url)) }}
{{- end }}
{{- end }}
{{/* Further variables → the servers that they name by a URL, such as a payment provider's stand-in or an endpoint in a VPC. */}}
{{- define "fleet.policy.named" }}
{{- $ports := list }}
{{- range .env }}{{ if toString . | regexMatch "^https?://" }}{{ $ports = include "fleet.portOf" . | append $ports }}{{ end }}{{ end }}
{{- with uniq $ports }}
- ports: {{ template "fleet.policy.tcp" . }}
{{- end }}
{{- end }}
{{/* A URL's port: its own, or that of its scheme. */}}
{{- define "fleet.portOf" -}}
{{- $server := regexFind "^[a-z]+://[^/?#]*" . | splitList "@" | last -}}
{{- regexFind ":[0-9]+$" $server | trimPrefix ":" | default (get (dict "http" "80" "https" "443" "smtp" "587" "smtps" "465") (regexFind "^[a-z]+" .)) -}}
{{- end }}
