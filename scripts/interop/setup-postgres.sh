#!/bin/sh
# Installs PostgreSQL, only where it is missing, and prints the folder of its programs. POSTERN_POSTGRES names another one.
# Debian's package would start a server of its own: no cluster is made for it, and nothing is started. With --present
# nothing is installed: where it is missing nothing is printed.
set -eu

programs() {
  # The newest of those that Debian puts side by side, none of which is on the path.
  newest=$(find /usr/lib/postgresql -mindepth 3 -maxdepth 3 -path '*/bin/initdb' 2>/dev/null | sort -V | tail -n 1)
  if [ -n "$newest" ]; then
    dirname "$newest"
  elif command -v initdb >/dev/null 2>&1; then
    dirname "$(command -v initdb)"
  fi
}

if [ -n "${POSTERN_POSTGRES:-}" ]; then
  echo "$POSTERN_POSTGRES"
  exit 0
fi
if [ "${1:-}" = --present ]; then
  programs
  exit 0
fi
if [ -z "$(programs)" ]; then
  mkdir -p /etc/postgresql-common
  [ -e /etc/postgresql-common/createcluster.conf ] ||
    echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
  # The file above is the package's own: what stands there stays, and nobody is asked.
  DPKG_FORCE=confold sh "$(dirname "$0")/apt-install.sh" pg_ctlcluster postgresql
fi
programs | grep . || {
  echo 'PostgreSQL has no initdb: name the folder of its programs in POSTERN_POSTGRES' >&2
  exit 1
}
