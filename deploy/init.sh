#!/bin/sh
# Run once by the database's image, when its volume is empty: the two roles and the vault's schema.
set -eu
psql -v ON_ERROR_STOP=1 -U postgres -d "$POSTGRES_DB" \
  -v indexer_password="$(cat /run/secrets/indexer_password)" -v reader_password="$(cat /run/secrets/reader_password)" <<'SQL'
CREATE ROLE sluice_indexer LOGIN PASSWORD :'indexer_password';
CREATE ROLE sluice_reader LOGIN PASSWORD :'reader_password';
SQL
psql -v ON_ERROR_STOP=1 -U postgres -d "$POSTGRES_DB" \
  -v schema=team -v indexer=sluice_indexer -v reader=sluice_reader -f "${ROLES_SQL:-/roles.sql}"
