#!/bin/sh
# Copies the primary when there is no copy yet, then follows it: start-standby.sh '<connection to the primary>' [options of postgres]
# PGDATA names the folder, PGPASSWORD holds the password. The slot keeps what the standby has not received.
set -eu
primary=$1
shift
copy=$PGDATA/standby
if [ ! -d "$copy" ]; then
  # A copy that was cut short left its files, and its slot on the primary.
  rm -rf "$copy.part"
  psql --dbname="$primary dbname=postgres" --quiet --tuples-only \
    --command="select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = 'standby' and not active"
  pg_basebackup --dbname="$primary" --pgdata="$copy.part" --write-recovery-conf --checkpoint=fast --create-slot --slot=standby
  mv "$copy.part" "$copy"
fi
exec postgres -D "$copy" "$@"
