#!/bin/sh
# Installs Debian's Chromium, only where it is missing, and prints the path of its command. POSTERN_CHROMIUM names another
# one.
set -eu

if [ -n "${POSTERN_CHROMIUM:-}" ]; then
  echo "$POSTERN_CHROMIUM"
  exit 0
fi
sh "$(dirname "$0")/apt-install.sh" chromium chromium fonts-dejavu-core
command -v chromium
