{{- define "fleet.labels" -}}
{{ include "fleet.selector" . }}
app.kubernetes.io/part-of: fleet-gateway
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "fleet.selector" -}}
app.kubernetes.io/name: fleet-gateway
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* {root, component} → <release>-<component> */}}
{{- define "fleet.name" -}}
{{ .root.Release.Name }}-{{ .component }}
{{- end }}

{{/* {root, image: a repository, tag and digest}. The worker's image has the other image's tag by default, and its own digest. */}}
{{- define "fleet.image" -}}
{{- $image := .image -}}
{{- $release := .root.Values.image.tag | default .root.Chart.AppVersion -}}
{{- if $image.digest -}}{{ $image.repository }}@{{ $image.digest }}
{{- else -}}{{ $image.repository }}:{{ $image.tag | default (splitList "@" $release | first) }}{{- end -}}
{{- end }}

{{- define "fleet.secret.keys" -}}{{ .Values.secrets.existingSecret | default (printf "%s-keys" .Release.Name) }}{{- end }}
{{- define "fleet.secret.hub" -}}{{ .Values.tunnel.existingSecret | default (printf "%s-hub-keys" .Release.Name) }}{{- end }}
{{- define "fleet.secret.database" -}}
{{- if .Values.postgres.enabled }}{{ .Values.postgres.existingSecret | default (printf "%s-database" .Release.Name) }}{{ else }}{{ .Values.external.database.existingSecret }}{{ end }}
{{- end }}
{{- define "fleet.secret.redis" -}}
{{- if .Values.redis.enabled }}{{ .Values.redis.existingSecret | default (printf "%s-redis" .Release.Name) }}{{ else }}{{ .Values.external.redis.existingSecret }}{{ end }}
{{- end }}
{{- define "fleet.secret.objects" -}}{{ .Values.minio.existingSecret | default (printf "%s-objects" .Release.Name) }}{{- end }}
{{- define "fleet.secret.mail" -}}{{ .Values.mail.existingSecret | default (printf "%s-mail" .Release.Name) }}{{- end }}
{{- define "fleet.secret.janus" -}}
{{- .Values.janus.existingSecret | default (.Values.janus.enabled | ternary (printf "%s-janus" .Release.Name) "") }}
{{- end }}

{{/*
Source addresses of the hub nodes' traffic, as a JSON list of CIDRs: as given, or as the cluster knows them. A CNI with a
network of its own sends a node's packets from its own interface. Calico and Flannel write that address into the node's
annotations. Flannel's interface has the first address of the node's pods, its bridge the second; with other CNIs these
two may be a pod's.
*/}}
{{- define "fleet.hubNodes" -}}
{{- $found := .Values.networkPolicy.tunnelNodes -}}
{{- if not $found -}}
{{- $hubs := include "fleet.hubNames" . | fromJsonArray -}}
{{- range (lookup "v1" "Node" "" "").items -}}
{{- if has .metadata.name $hubs -}}
{{- $addresses := list -}}
{{- range .status.addresses }}{{ if eq .type "InternalIP" }}{{ $addresses = append $addresses .address }}{{ end }}{{ end -}}
{{- $annotations := .metadata.annotations | default dict -}}
{{- range $family := list "IPv4" "IPv6" -}}
{{- range $kind := list "IPIPTunnelAddr" "VXLANTunnelAddr" "WireguardInterfaceAddr" -}}
{{- with index $annotations (printf "projectcalico.org/%s%s" $family $kind) }}{{ $addresses = append $addresses . }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if hasKey $annotations "flannel.alpha.coreos.com/backend-type" -}}
{{- range .spec.podCIDRs -}}
{{- $first := splitList "/" . | first -}}
{{- $addresses = append $addresses $first -}}
{{- if hasSuffix "::" $first -}}
{{- $addresses = append $addresses (printf "%s1" $first) -}}
{{- else if contains "." $first -}}
{{- $parts := splitList "." $first -}}
{{- $addresses = append $addresses (printf "%s.%d" (initial $parts | join ".") (last $parts | int | add1)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $addresses | uniq }}{{ $found = append $found (printf "%s/%s" . (contains ":" . | ternary "128" "32")) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- concat $found .Values.networkPolicy.tunnelSources | uniq | toJson -}}
{{- end }}

{{/*
Number of hub nodes, at least one. The cluster is asked only if the values do not tell: an administrator of one namespace
may not list nodes, and a forbidden look-up fails the release.
*/}}
{{- define "fleet.hubCount" -}}
{{- $count := 1 -}}
{{- if .Values.tunnel.lease.enabled -}}
{{- if .Values.tunnel.nodes -}}
{{- $count = len .Values.tunnel.nodes -}}
{{- else if .Values.networkPolicy.tunnelNodes -}}
{{- range $family := list "." ":" -}}
{{- $given := list -}}
{{- range $.Values.networkPolicy.tunnelNodes }}{{ if contains $family . }}{{ $given = append $given . }}{{ end }}{{ end -}}
{{- $count = max $count (len $given) -}}
{{- end -}}
{{- else -}}
{{- $count = include "fleet.hubNames" . | fromJsonArray | len | max 1 -}}
{{- end -}}
{{- end -}}
{{- $count -}}
{{- end }}

{{/*
Names of the hub nodes that the cluster has now, as a JSON list; empty without a cluster. Fails the release if nodes may
not be listed.
*/}}
{{- define "fleet.hubNames" -}}
{{- $found := list -}}
{{- range (lookup "v1" "Node" "" "").items -}}
{{- $labels := .metadata.labels | default dict -}}
{{- $is := true -}}
{{- range $key, $value := $.Values.tunnel.nodeSelector }}{{ if ne (index $labels $key | default "") $value }}{{ $is = false }}{{ end }}{{ end -}}
{{- if and $.Values.tunnel.nodes (not (has .metadata.name $.Values.tunnel.nodes)) }}{{ $is = false }}{{ end -}}
{{- if $is }}{{ $found = append $found .metadata.name }}{{ end -}}
{{- end -}}
{{- $found | toJson -}}
{{- end }}
