{{/*
{password, edge}: the users, as Redis's configuration has them. Ours may do everything. The edge's makes drones' users,
reads the numbers of leased links, and keeps for the next hub where peers were heard.
*/}}
{{- define "redis.users" -}}
user default on >{{ .password }} ~* &* +@all
user edge on >{{ .edge }} resetchannels -@all +acl|setuser +acl|deluser +acl|users +acl|whoami +ping +info +select +client|setname +auth +hello +quit %R~fleet:link:* +get ~fleet:hub:* +hset +hdel +hgetall
{{ end }}
