#!/usr/bin/env bash
# Runs the protocol's conformance suite against the HTTP server: tools/mcp-conformance.sh [SCENARIO...]
# The suite needs Node 22, which comes from npm into a scratch folder; hence not part of CI (Node 20).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=${SLUICE_CONFORMANCE:-${TMPDIR:-/tmp}/sluice-conformance}
port=${PORT:-3399}
mkdir -p "$scratch"
cd "$scratch"
[ -f package.json ] || npm init -y >/dev/null
[ -d node_modules/@modelcontextprotocol/conformance ] ||
  npm i --no-audit --no-fund "node-linux-$(uname -m | sed 's/x86_64/x64/;s/aarch64/arm64/')@22" @modelcontextprotocol/conformance
node22=$(echo "$scratch"/node_modules/node-linux-*/bin/node)
vault=$(mktemp -d)
printf '# Bread\n\n## Dough\n\nKnead the dough for ten minutes and let it rest overnight in the cold.\n' >"$vault/bread.md"
export SLUICE_STATE=$vault/.state
node "$root/dist/cli/main.js" index --vault "$vault" --quiet
node "$root/dist/cli/main.js" mcp --http --port "$port" --vault "$vault" &
server=$!
trap 'kill $server; rm -rf "$vault"' EXIT
until curl -s -o /dev/null "http://127.0.0.1:$port/mcp"; do sleep 0.3; done
failed=0
for scenario in "${@:-server-initialize ping tools-list resources-list prompts-list dns-rebinding-protection completion-complete tools-call-error server-sse-multiple-streams}"; do
  for one in $scenario; do
    "$node22" node_modules/@modelcontextprotocol/conformance/dist/index.js server --url "http://127.0.0.1:$port/mcp" --scenario "$one" || failed=1
  done
done
exit $failed
