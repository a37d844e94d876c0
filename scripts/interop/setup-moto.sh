#!/usr/bin/env bash
# Installs moto's server into a folder of its own, only where it is missing, and prints the path of its command. Needs
# python3 with venv, and the package index that pip is set up with.
set -euo pipefail
moto=5.2.5
flask=3.1.3
flask_cors=6.0.5

python=$(command -v python3) || { echo 'moto needs python3' >&2; exit 1; }
cache=${POSTERN_INTEROP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/postern-interop}
home=$cache/moto-$moto-$flask-$flask_cors
mkdir -p "$cache"

# One installs, all others wait for it.
if command -v flock >/dev/null; then
  exec 9>"$home.lock"
  flock 9
fi
if [ ! -e "$home/installed" ]; then
  rm -rf "$home"
  "$python" -m venv "$home" >&2
  "$home/bin/pip" install --quiet --disable-pip-version-check --no-input \
    "moto==$moto" "flask==$flask" "flask-cors==$flask_cors" >&2
  touch "$home/installed"
fi
echo "$home/bin/moto_server"
