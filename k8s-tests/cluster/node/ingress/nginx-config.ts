import type { Certificate, Route } from "./routes";

const PREFIX = "nginx.ingress.kubernetes.io/";

/** Where it listens, each as `ADDRESS:PORT`, and the folder that it works in. */
export interface ServerLocation {
  readonly http: string;
  readonly https: string;
  readonly folder: string;
}

/** Of a host's certificate and its key. */
export const certificateFiles = (folder: string, host: string): [certificate: string, key: string] => [
  `${folder}/${host}.crt`,
  `${folder}/${host}.key`,
];

/** nginx's configuration for these routes, with ingress-nginx's own defaults. */
export function nginxConfig(
  { http, https, folder }: ServerLocation,
  routes: readonly Route[],
  certificates: readonly Certificate[],
): string {
  const secured = new Set(certificates.map(({ host }) => host));
  const listening = (host: string): string => {
    if (!secured.has(host)) return `    listen ${http};\n`;
    const [certificate, key] = certificateFiles(folder, host);
    return `    listen ${https} ssl;\n    ssl_certificate ${certificate};\n    ssl_certificate_key ${key};\n`;
  };
  const hosts = [...new Set(routes.map(({ host }) => host))].toSorted();
  const services = new Map(routes.map((route) => [route.service, route]));
  return `daemon off;
user root;
worker_processes 1;
worker_shutdown_timeout 240s;
pid ${folder}/nginx.pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
  access_log ${folder}/access.log;
  client_body_temp_path ${folder}/bodies;
  proxy_temp_path ${folder}/replies;
  fastcgi_temp_path ${folder}/unused;
  uwsgi_temp_path ${folder}/unused;
  scgi_temp_path ${folder}/unused;
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
${[...services.values()].map(upstream).join("")}  server { listen ${http} default_server; return 404; }
${hosts.map((host) => server(listening(host), host, routes)).join("")}}
`;
}

/** The pods of a Service; by cookie the one that answered before, when it is still there. */
function upstream({ service, pods, annotations }: Route): string {
  if (pods.length === 0) return "";
  const servers = pods.map((pod) => `    server ${pod};\n`).join("");
  const cookie = cookieName(annotations);
  const known = pods.map((pod) => `    "~${cookie}=${pod.replaceAll(".", "\\.")}" "${pod}";\n`).join("");
  const affinity = `  map $http_cookie $pod_of_${variable(service)} {\n    default "${service}";\n${known}  }\n`;
  return `  upstream ${service} {\n${servers}  }\n${cookie ? affinity : ""}`;
}

function server(listening: string, host: string, routes: readonly Route[]): string {
  const own = routes.filter((route) => route.host === host);
  return `  server {\n${listening}    server_name ${host};\n${own.map(locations).join("")}    location / { return 404; }\n  }\n`;
}

/** A path of type Prefix matches whole elements: itself, and every path below it. */
function locations(route: Route): string {
  const matches =
    route.exact || route.path === "/" ? [`= ${route.path}`] : [`= ${route.path}`, `${route.path}/`];
  return matches.map((match) => `    location ${match} {\n${handling(route)}    }\n`).join("");
}

function handling({ service, pods, annotations }: Route): string {
  if (pods.length === 0) return "      return 503;\n";
  const setting = (name: string, otherwise: string) => annotations[PREFIX + name] ?? otherwise;
  const cookie = cookieName(annotations);
  const lines = [
    `proxy_pass http://${cookie ? `$pod_of_${variable(service)}` : service}`,
    ...(cookie ? [`add_header Set-Cookie "${cookie}=$upstream_addr; Path=/; HttpOnly" always`] : []),
    "proxy_http_version 1.1",
    "proxy_set_header Host $http_host",
    "proxy_set_header Upgrade $http_upgrade",
    "proxy_set_header Connection $connection_upgrade",
    "proxy_set_header X-Real-IP $remote_addr",
    "proxy_set_header X-Forwarded-For $remote_addr",
    "proxy_set_header X-Forwarded-Host $http_host",
    "proxy_set_header X-Forwarded-Proto $scheme",
    "proxy_connect_timeout 5s",
    `proxy_read_timeout ${setting("proxy-read-timeout", "60")}s`,
    `proxy_send_timeout ${setting("proxy-send-timeout", "60")}s`,
    `client_max_body_size ${setting("proxy-body-size", "1m")}`,
    `proxy_request_buffering ${setting("proxy-request-buffering", "on")}`,
    "proxy_buffering off",
  ];
  return lines.map((line) => `      ${line};\n`).join("");
}

const cookieName = (annotations: Route["annotations"]): string =>
  annotations[`${PREFIX}affinity`] === "cookie"
    ? (annotations[`${PREFIX}session-cookie-name`] ?? "INGRESSCOOKIE")
    : "";

const variable = (service: string): string => service.replaceAll("-", "_");
