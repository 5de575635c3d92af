{{- define "fleet.janus.files" -}}
# The secrets are put in when the container starts; Janus reads them from its own files only.
start.sh: |
  set -eu
  cat >/tmp/janus.jcfg <<END
  general: { configs_folder = "/tmp"; api_secret = "$API_SECRET"; admin_secret = "$ADMIN_KEY" }
  nat: { nat_1_1_mapping = "$PUBLIC_ADDRESS" }
  media: { rtp_port_range = "$RTP_PORTS" }
  plugins: { disable = "" }
  END
  printf 'general: { http = true, port = 8088, base_path = "/janus" }\nadmin: { admin_http = false }\n' >/tmp/janus.transport.http.jcfg
  printf 'general: { admin_key = "%s" }\n' "$ADMIN_KEY" >/tmp/janus.plugin.videoroom.jcfg
  exec janus -F /tmp -C /tmp/janus.jcfg
{{ end }}
