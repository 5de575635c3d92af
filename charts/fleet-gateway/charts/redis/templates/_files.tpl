{{/*
How Redis starts. Our user may do everything. The edge's makes drones' users and reads the numbers of leased links. Their
passwords come as variables and go into a file, since arguments can be read by anyone on the node. The clients' memory
has limits, so that subscribers that do not read cannot fill the pod's 512Mi.
*/}}
{{- define "redis.files" -}}
start: |
  set -eu
  umask 077
  cat >/run/fleet/users.conf <<END
  user default on >$REDISCLI_AUTH ~* &* +@all
  user edge on >$EDGE_PASSWORD resetchannels -@all +acl|setuser +acl|deluser +acl|users +acl|whoami +ping +info +select +client|setname +auth +hello +quit %R~fleet:link:* +get
  END
  exec redis-server --include /run/fleet/users.conf --appendonly yes --dir /data --save "" \
    --client-output-buffer-limit pubsub 16mb 4mb 10 --maxmemory-clients 128mb
{{ end }}
