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
{{/* {root, server, bundled, own, external}: to the bundled server's pod and port, or to the external one's. */}}
{{- define "fleet.policy.to" }}
- to:
    {{- if .bundled }}
    - podSelector:
        matchLabels:
          app.kubernetes.io/name: {{ .server }}
          app.kubernetes.io/instance: {{ .root.Release.Name }}
    {{- else }}
    {{- range .external.cidrs | default (list "0.0.0.0/0") }}
    - ipBlock: {cidr: {{ . }}}
    {{- end }}
    {{- end }}
  ports: [{protocol: TCP, port: {{ .bundled | ternary .own .external.port }}}]
{{- end }}
{{- define "fleet.policy.dns" }}
- ports: [{protocol: UDP, port: 53}, {protocol: TCP, port: 53}]
{{- end }}
{{- define "fleet.policy.mail" }}
- to: [{ipBlock: {cidr: 0.0.0.0/0}}]
  ports: [{protocol: TCP, port: 25}, {protocol: TCP, port: 465}, {protocol: TCP, port: 587}, {protocol: TCP, port: 2525}]
{{- end }}
