{{/*
{of: {root, component}, template}: a Job that prepares a release, and is safe to repeat. Not a hook: a hook would wait for
servers that come with the same release. Its name is of the revision, so that helm does the work at every upgrade and
rollback, and of what it does: for a tool that renders without a release every revision is the first, and a Job that is
there cannot be changed.
*/}}
{{- define "fleet.job" -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ include "fleet.name" .of }}-{{ sha256sum .template | trunc 8 }}-{{ .of.root.Release.Revision }}
  labels: {{- include "fleet.labels" .of | nindent 4 }}
spec:
  backoffLimit: 30
  template: {{- .template | nindent 4 }}
{{- end }}
