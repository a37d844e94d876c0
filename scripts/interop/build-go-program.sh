#!/bin/sh
# build-go-program.sh FOLDER: builds the Go program of a folder, unless it is built already, and prints its path.
# POSTERN_CACHE names another folder for it. Needs Go, and the module proxy that Go is set up with.
set -eu
cd "$1"

# Other sources or other versions are another program.
program=${POSTERN_CACHE:-$HOME/.cache/postern}/go-$(cat ./*.go go.mod go.sum | cksum | cut -d ' ' -f 1)
if [ ! -x "$program" ]; then
  echo "building $program" >&2
  mkdir -p "$(dirname "$program")"
  # The Go that is there, and exactly the modules that go.sum names.
  GOTOOLCHAIN=local GOFLAGS=-mod=readonly go build -o "$program.new" . >&2
  mv "$program.new" "$program"
fi
echo "$program"
