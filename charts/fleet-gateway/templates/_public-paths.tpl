{{/*
What is published, as a JSON list of {component, port, webSocket, exact, prefixes}: the rules of the Ingress and of the
HTTPRoute. Public paths only. Health and metrics are not public, and the drone-only port has a Service of its own. The
relay's /gamepad is not public either: it dials the drone, which a pod cannot reach. The console's pages are listed by
their first segments: a prefix / would publish health and metrics too.
*/}}
{{- define "fleet.publicPaths" -}}
{{- $api := list "/api" "/apispec.json" "/openapi.json" "/asyncapi.json" -}}
{{- $pages := list "/assets" "/sign-in" "/register" "/forgot-password" "/reset-password" "/activate" "/billing" "/fly" "/plan" "/executions" "/calendar" "/account" -}}
{{- $console := .Values.gateway.console -}}
{{- list
  (dict "component" "gateway" "port" 8080 "webSocket" false "exact" ($console | ternary (list "/") list) "prefixes" ($console | ternary (concat $api $pages) $api))
  (dict "component" "gateway" "port" 8080 "webSocket" true "exact" list "prefixes" (list "/socket.io"))
  (dict "component" "relay" "port" 7070 "webSocket" true "exact" list "prefixes" (list "/redispad" "/drone"))
| toJson -}}
{{- end }}

{{/* The buckets' paths at the bundled object store, as a JSON list. */}}
{{- define "fleet.bucketPaths" -}}
{{- list .Values.objects.bucket .Values.objects.vpnBucket | toJson -}}
{{- end }}
