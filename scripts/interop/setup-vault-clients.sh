#!/bin/sh
# Installs hvac (interop/vault-clients/requirements.txt) into a virtual environment outside the repository, unless it is
# there already, and prints the path of its Python. POSTERN_CACHE names another folder for it. The clients written for
# Node are dependencies of interop/package.json.
set -eu
cd "$(dirname "$0")/../.."

requirements=interop/vault-clients/requirements.txt
# Another list of versions is another folder: nothing is upgraded in place.
folder=${POSTERN_CACHE:-$HOME/.cache/postern}/vault-clients-$(cksum <"$requirements" | cut -d ' ' -f 1)
python=$folder/bin/python

# Also false for an environment that was left half made, or whose Python is gone.
if ! "$python" -c 'import hvac, requests' >/dev/null 2>&1; then
  echo "installing hvac into $folder" >&2
  rm -rf "$folder"
  if ! python3 -m venv "$folder" >&2; then
    echo 'python3 with its venv module is needed (on Debian and Ubuntu: apt-get install python3-venv)' >&2
    exit 1
  fi
  "$python" -m pip install --quiet --disable-pip-version-check --no-input --only-binary :all: \
    --requirement "$requirements" >&2
fi
echo "$python"
