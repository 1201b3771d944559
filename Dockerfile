# The bot, or with another command the query service (compose.yml). Two stages: install and run. The base image has Node, so npm's copy is removed.
FROM node:24.21.0-bookworm-slim AS install
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/node-24 scripts/node-24
RUN npm ci --omit=dev --ignore-scripts
COPY scripts/sbom.ts scripts/
RUN node scripts/sbom.ts

FROM node:24.21.0-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATABASE_URL=sqlite:/data/bot.db
COPY --from=install /app/node_modules node_modules
COPY --from=install /app/sbom.cdx.json ./
COPY package.json ./
COPY src src
COPY queries queries
# The only writable folder; everything else may be mounted read-only.
RUN mkdir --mode=700 /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 8080 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=40", "--disable-sigusr1", "--disable-warning=ExperimentalWarning", "src/bin/start.ts"]
