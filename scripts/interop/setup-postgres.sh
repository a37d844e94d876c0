#!/bin/sh
# Installs PostgreSQL, only where it is missing, and prints the folder of its programs. POSTERN_POSTGRES names another one.
# Debian's package would start a server of its own: no cluster is made, and nothing is started. Needs root where it is
# missing.
set -eu

programs() {
  if [ -n "${POSTERN_POSTGRES:-}" ]; then
    echo "$POSTERN_POSTGRES"
    return
  fi
  # The newest of those that Debian puts side by side, none of which is on the path.
  newest=$(find /usr/lib/postgresql -mindepth 3 -maxdepth 3 -path '*/bin/initdb' 2>/dev/null | sort -V | tail -n 1)
  if [ -n "$newest" ]; then
    dirname "$newest"
  elif command -v initdb >/dev/null 2>&1; then
    dirname "$(command -v initdb)"
  fi
}

if [ -z "$(programs)" ]; then
  echo 'installing postgresql' >&2
  {
    apt-get update -qq &&
      mkdir -p /etc/postgresql-common &&
      echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf &&
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o Dpkg::Options::=--force-confold postgresql
  } >&2 || {
    echo 'postgresql is needed (on Debian: apt-get install postgresql)' >&2
    exit 1
  }
fi
programs
