module traefik

go 1.26.0

require github.com/traefik/traefik/v3 v3.7.13

// As in Traefik's own go.mod, whose replacements count in its own repository only. It names a newer commit of
// go-http-auth, which some module proxies lack; that commit changes passwords of requests, which nothing here uses.
replace (
	github.com/abbot/go-http-auth => github.com/containous/go-http-auth v0.4.1-0.20200324110947-a37a7636d23e
	github.com/gorilla/mux => github.com/containous/mux v0.0.0-20250523120546-41b6ec3aed59
)

exclude github.com/tencentcloud/tencentcloud-sdk-go v3.0.83+incompatible
