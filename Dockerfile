# Sources run as they are: no build stage.
FROM node:26-slim

ENV NODE_ENV=production \
    # Inside a container, loopback would be reachable by nobody.
    HOST=0.0.0.0 \
    GANTRY_DATA=/data

WORKDIR /app

# Without the optional dependencies, which only bring Node itself to machines that have another version.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional && npm cache clean --force

COPY openapi.yaml manifest.yml ./
COPY src ./src

RUN mkdir /data && chown node:node /data
USER node
VOLUME /data

# 3000: Slack's deliveries and health. 3001: the simulated workspace, when SLACK_BOT_TOKEN is not set. It can type
# commands as anybody, so it listens to the container itself only; to reach it through a published port:
#   docker run -e PLAYGROUND_HOST=0.0.0.0 -p 127.0.0.1:3001:3001 gantry
EXPOSE 3000

HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

# In-flight commands are told within 20 s of SIGTERM: give it longer than Docker's default of 10 s.
#   docker run --stop-timeout 30 …
STOPSIGNAL SIGTERM
CMD ["node", "src/main.ts"]
