#!/bin/sh
# Installs pgbouncer, only where it is missing, and prints its path. POSTERN_PGBOUNCER names another one. Debian's package
# would start a service of its own: the test starts one with a configuration of its own and leaves that one alone.
set -eu

if [ -n "${POSTERN_PGBOUNCER:-}" ]; then
  echo "$POSTERN_PGBOUNCER"
  exit 0
fi
PATH="$PATH:/usr/sbin"
command -v pgbouncer >/dev/null 2>&1 || DPKG_FORCE=confold sh "$(dirname "$0")/apt-install.sh" pgbouncer pgbouncer
command -v pgbouncer
