#!/bin/sh
# Installs Debian's Chromium, only where it is missing, and prints the path of its command. POSTERN_CHROMIUM names another
# one. Needs root where it is missing.
set -eu

if [ -n "${POSTERN_CHROMIUM:-}" ]; then
  echo "$POSTERN_CHROMIUM"
  exit 0
fi
if ! command -v chromium >/dev/null 2>&1; then
  echo 'installing chromium' >&2
  {
    apt-get update -qq &&
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core
  } >&2 || {
    echo 'chromium is needed (on Debian: apt-get install chromium)' >&2
    exit 1
  }
fi
command -v chromium
