# One image for every process: gateway, relay, tunnel, migrate, admin, simulator, onboard. The target `worker` is the
# same with ffmpeg, for a worker (or gateway) that packages videos. For amd64 and arm64.
#   docker build -t fleet-gateway . && docker build --target worker -t fleet-gateway-worker .

ARG NODE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim
ARG DEBIAN_IMAGE=docker.io/library/debian:12.15-slim
# The base of the target `development`: `worker` has ffmpeg.
ARG DEVELOPMENT_BASE=runtime

# Stages with ${BUILDPLATFORM} run on the builder's own processor; the others are of the image's platform. Of these only
# `runtime` and `worker` run anything: Debian's installer.
FROM ${NODE_IMAGE} AS node

# The packages that run in production, without files that only a compiler or an editor reads.
FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS modules
WORKDIR /app
# Node's symbols, which only a debugger reads, are 18 MB.
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends binutils-multiarch
COPY --from=node /usr/local/bin/node /node
RUN strip /node
COPY package.json package-lock.json .npmrc ./
ARG TARGETARCH
RUN cpu=$(echo "$TARGETARCH" | sed 's/^amd64$/x64/') \
 && npm ci --omit=dev --os=linux --cpu="$cpu" \
 && rm -rf node_modules/typescript node_modules/@typescript node_modules/ts-node node_modules/@swc node_modules/@types \
      node_modules/mavlink-mappings-gen/node_modules node_modules/.package-lock.json node_modules/.bin \
 && find node_modules -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.md' \) -delete \
 # Copies as ECMAScript modules, which our code does not import; programs for other systems and for the Bare runtime;
 # forms of the user interface that are not served.
 && rm -rf node_modules/@aws-sdk/*/dist-es node_modules/@smithy/*/dist-es node_modules/@aws/*/dist-es \
      node_modules/stripe/esm node_modules/bare-*/prebuilds node_modules/bintrees/test \
      node_modules/swagger-ui-dist/*-es-bundle* node_modules/swagger-ui-dist/swagger-ui.js \
 # The build of the console contains them.
 && rm -rf node_modules/preact node_modules/@preact node_modules/preact-iso node_modules/preact-render-to-string \
 && find node_modules/argon2/prebuilds -mindepth 1 -maxdepth 1 ! -name "linux-$cpu" -exec rm -r {} +

FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS program
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY .swcrc tsconfig.json ./
COPY src src
COPY cmd cmd
COPY migrations migrations
COPY bench bench
# Leaves out programs that only a laptop or a test needs.
RUN npm run build \
 && rm -rf dist/bench dist/src/testing dist/src/laptop dist/cmd/fleet.* dist/cmd/demo.* dist/cmd/camera.* dist/.built

FROM ${DEBIAN_IMAGE} AS runtime
# iptables brings both backends; the tunnel uses the one that the node's own rules are in. fonts-dejavu-core is for
# the drawings of a flight's report.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
      ca-certificates conntrack fonts-dejavu-core iproute2 ipset iptables libstdc++6 tini wireguard-go wireguard-tools \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/*.log /var/log/apt \
 && groupadd --gid 10001 fleet \
 && useradd --uid 10001 --gid fleet --no-create-home --home-dir /app --shell /usr/sbin/nologin fleet
COPY --from=modules /node /usr/local/bin/node
WORKDIR /app
# No other container reaches a container's loopback. A process whose access profile may not listen beyond it says so.
ENV NODE_ENV=production TZ=UTC HOST=::
COPY --from=modules /app/node_modules node_modules
COPY --from=program /app/dist dist
COPY package.json LICENSE ./
USER 10001:10001
EXPOSE 8080 8081 7070 5050 5051 9090
# tini reaps processes that the tunnel leaves behind, and ends processes that have no handler of their own for SIGTERM.
ENTRYPOINT ["/usr/bin/tini", "--"]
CMD ["node", "dist/cmd/gateway.js"]
ARG VERSION=0.2.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Fleet Gateway" \
      org.opencontainers.image.description="Fly and manage a fleet of drones over the internet" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

FROM runtime AS worker
USER root
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends ffmpeg \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/*.log /var/log/apt
USER 10001:10001
CMD ["node", "dist/cmd/worker.js"]

# What Debian's packages are in the images, for `npm run release`.
FROM scratch AS packages
COPY --from=runtime /var/lib/dpkg/status fleet-gateway
COPY --from=worker /var/lib/dpkg/status fleet-gateway-worker

# For skaffold: the sources and their compiler beside the program, so that a changed file need only be copied in. The compiler
# is for the builder's own processor.
FROM ${DEVELOPMENT_BASE} AS development
COPY --from=program /app/node_modules node_modules
COPY .swcrc ./
COPY .ci/compile-on-load.cjs .ci/
COPY cmd cmd
COPY migrations migrations
COPY src src

# Last, so that a build without --target gives it.
FROM runtime AS fleet-gateway
