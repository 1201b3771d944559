#!/bin/sh
# Copies the primary when there is no copy yet, then follows it: start-standby.sh '<connection to the primary>' [options of postgres]
# PGDATA names the folder, PGPASSWORD holds the password. The slot keeps what the standby has not received.
set -eu
primary=$1
shift
ask() { psql --dbname="$primary dbname=postgres" --quiet --tuples-only --no-align --command="$1"; }
copy=$PGDATA/standby
if [ ! -d "$copy" ]; then
  # A copy that was cut short left its files, and its slot on the primary.
  rm -rf "$copy.part"
  ask "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = 'standby' and not active"
  pg_basebackup --dbname="$primary" --pgdata="$copy.part" --write-recovery-conf --checkpoint=fast --create-slot --slot=standby
  # A standby does not start with less of these than its primary.
  ask "select format('%s = %s', name, setting) from pg_settings where name in ('max_connections',
    'max_worker_processes', 'max_wal_senders', 'max_prepared_transactions', 'max_locks_per_transaction')" \
    >>"$copy.part/postgresql.auto.conf"
  mv "$copy.part" "$copy"
fi
exec postgres -D "$copy" "$@"
