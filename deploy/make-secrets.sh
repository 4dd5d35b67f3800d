#!/bin/sh
# Makes the passwords and the token that compose.yaml hands out. Files that are there already stay as they are.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets/ssh
random() { head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
make() { [ -s "secrets/$1" ] || printf '%s\n' "$2" > "secrets/$1"; }
for name in owner_password indexer_password reader_password mcp_token; do make "$name" "$(random)"; done
for role in indexer reader; do
  make "${role}_store" "postgres://sluice_$role:$(cat "secrets/${role}_password")@db:5432/knowledge?schema=team&sslmode=disable"
done
# Containers read them as a user of their own; the folder keeps everybody else of this machine out.
chmod 644 secrets/owner_password secrets/*_password secrets/*_store secrets/mcp_token
echo "The token for agents is in $(pwd)/secrets/mcp_token"
