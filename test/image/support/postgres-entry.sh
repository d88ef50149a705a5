#!/bin/sh
# Stands in for the entry script of the postgres image: makes the database at the first start, then runs the server.
set -e
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA" /run/postgresql
  chown postgres "$PGDATA" /run/postgresql
  exec setpriv --reuid postgres --regid postgres --clear-groups "$0" "$@"
fi
chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  : "${POSTGRES_PASSWORD:?is not set}" "${POSTGRES_USER:=postgres}"
  echo "$POSTGRES_PASSWORD" >/tmp/password
  initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --no-sync >/dev/null
  rm /tmp/password
  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
  pg_ctl --options="-c listen_addresses=''" --wait start
  createdb --username="$POSTGRES_USER" "${POSTGRES_DB:-$POSTGRES_USER}"
  pg_ctl --wait stop
fi
exec "$@"
