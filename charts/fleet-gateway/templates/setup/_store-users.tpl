{{- define "fleet.storeUsers.files" -}}
{{- $object := list "s3:GetObject" "s3:PutObject" "s3:DeleteObject" "s3:AbortMultipartUpload" "s3:ListMultipartUploadParts" }}
{{- $list := list "s3:ListBucket" }}
{{- $assets := printf "arn:aws:s3:::%s" .Values.objects.bucket }}
{{- $configs := printf "arn:aws:s3:::%s" .Values.objects.vpnBucket }}
{{- $onAssets := list
  (dict "Effect" "Allow" "Action" $object "Resource" (list (printf "%s/*" $assets)))
  (dict "Effect" "Allow" "Action" $list "Resource" (list $assets)) }}
{{- $toConfigs := list
  (dict "Effect" "Allow" "Action" (list "s3:GetObject") "Resource" (list (printf "%s/vpn/*" $configs))) }}
{{- $onConfigs := list
  (dict "Effect" "Allow" "Action" (list "s3:GetObject" "s3:PutObject" "s3:DeleteObject") "Resource" (list (printf "%s/*" $configs)))
  (dict "Effect" "Allow" "Action" $list "Resource" (list $configs)) -}}
create: |
  {{- .Files.Get "files/create-store-users" | nindent 2 }}
{{- range $user, $statements := dict "gateway" (concat $onAssets $toConfigs) "worker" $onAssets "tunnel" $onConfigs }}
{{ $user }}.json: {{ dict "Version" "2012-10-17" "Statement" $statements | toJson | quote }}
{{- end }}
{{ end }}
