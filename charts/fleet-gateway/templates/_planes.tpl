{{/* An IPv4 CIDR → some text if it shares an address with a plane. As in src/tunnel/firewall, the whole Internet does not. */}}
{{- define "fleet.inPlane" -}}
{{- $parts := splitList "/" . -}}
{{- $bits := len $parts | eq 1 | ternary "32" (last $parts) | int -}}
{{- $octets := first $parts | splitList "." -}}
{{/* A plane is a /16, so the first sixteen bits decide. */}}
{{- $theirs := add (mul 256 (index $octets 0 | int)) (index $octets 1 | int) -}}
{{- range $plane := list 70 71 -}}
{{- $here := $theirs -}}
{{- $there := add 2560 $plane -}}
{{- range until (sub 16 $bits | max 0 | int) }}{{ $here = div $here 2 }}{{ $there = div $there 2 }}{{ end -}}
{{- if and (gt $bits 0) (eq $here $there) }}yes{{ end -}}
{{- end -}}
{{- end }}
