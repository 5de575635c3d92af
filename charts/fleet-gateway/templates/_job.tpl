{{/*
{of: {root, component}, template}: a Job that prepares a release, and is safe to repeat. Not a hook: a hook would wait for
servers that come with the same release. Its name has the revision, so that helm runs it at every upgrade and rollback.
Its name also has a hash of the template: for a tool that renders without a release every revision is the first, and an
existing Job cannot be changed.
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
