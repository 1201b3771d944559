#!/bin/sh
# Lets a standby in the same network copy and follow this server. Runs once, when the database is made. On an existing
# server, add the line by hand and reload: psql -c 'select pg_reload_conf()'
set -eu
echo 'host replication all samenet scram-sha-256' >>"$PGDATA/pg_hba.conf"
