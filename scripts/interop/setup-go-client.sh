#!/bin/sh
# Builds the Go program in interop/vault-clients/go, unless it is built already, and prints its path. POSTERN_CACHE names
# another folder for it. Needs Go, and the module proxy that Go is set up with.
set -eu
cd "$(dirname "$0")/../../interop/vault-clients/go"

# Other sources or other versions are another program.
program=${POSTERN_CACHE:-$HOME/.cache/postern}/vault-clients-go-$(cat ./*.go go.mod go.sum | cksum | cut -d ' ' -f 1)
if [ ! -x "$program" ]; then
  echo "building $program" >&2
  mkdir -p "$(dirname "$program")"
  # The Go that is there, and exactly the modules that go.sum names.
  GOTOOLCHAIN=local GOFLAGS=-mod=readonly go build -o "$program.new" . >&2
  mv "$program.new" "$program"
fi
echo "$program"
