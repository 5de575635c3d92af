{{/* {root, component, scaling, resources} */}}
{{- define "fleet.hpa" -}}
{{- if lt (int .scaling.maxReplicas) (int .scaling.minReplicas) }}
{{- fail (printf "%s.autoscaling: maxReplicas is less than minReplicas." .component) }}
{{- end -}}
{{- if not (dig "requests" "cpu" (dig "limits" "cpu" "" .resources) .resources) }}
{{- fail (printf "%s.autoscaling is by per cent of the requested processor time: set %s.resources.requests.cpu." .component .component) }}
{{- end -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "fleet.name" . }}
  labels: {{- include "fleet.labels" . | nindent 4 }}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: {{ include "fleet.name" . }}}
  minReplicas: {{ .scaling.minReplicas }}
  maxReplicas: {{ .scaling.maxReplicas }}
  metrics:
    - type: Resource
      resource: {name: cpu, target: {type: Utilization, averageUtilization: {{ .scaling.targetCpu }}}}
  behavior:
    # Taking a replica away cuts its sessions, so it is done late and one at a time.
    scaleDown:
      stabilizationWindowSeconds: 600
      policies: [{type: Pods, value: 1, periodSeconds: 120}]
{{- end }}

{{/* {root, component}: a node is drained one replica at a time. */}}
{{- define "fleet.pdb" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "fleet.name" . }}
  labels: {{- include "fleet.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels: {{- include "fleet.selector" . | nindent 6 }}
{{- end }}
