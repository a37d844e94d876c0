#!/bin/sh
# apt-install.sh COMMAND PACKAGE...: installs Debian's packages unless COMMAND is there. Needs root where it is not. One at a
# time, the others wait: tests run side by side, and apt gives up where another one is at work.
set -eu
command=$1
shift
if command -v "$command" >/dev/null 2>&1; then exit 0; fi
echo "installing $*" >&2
# -o: what an installed package starts must not keep the lock.
flock -o "${TMPDIR:-/tmp}/postern-apt.lock" sh -c '
  command -v "$0" && exit 0
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
' "$command" "$@" >&2 || {
  echo "$command is needed (on Debian: apt-get install $*)" >&2
  exit 1
}
