#!/bin/sh
# Installs schemathesis (interop/schemathesis/requirements.txt) into a virtual environment outside the repository, unless
# it is there already, and prints the path of its command. POSTERN_CACHE names another folder for it.
set -eu
cd "$(dirname "$0")/../.."

requirements=interop/schemathesis/requirements.txt
# Another list of versions is another folder: nothing is upgraded in place.
folder=${POSTERN_CACHE:-$HOME/.cache/postern}/schemathesis-$(cksum <"$requirements" | cut -d ' ' -f 1)

# One installs, all others wait for it.
mkdir -p "$(dirname "$folder")"
if command -v flock >/dev/null 2>&1; then
  exec 9>"$folder.lock"
  flock 9
fi

# Also false for an environment that was left half made, or whose Python is gone.
if ! "$folder/bin/python" -c 'import schemathesis' >/dev/null 2>&1; then
  echo "installing schemathesis into $folder" >&2
  rm -rf "$folder"
  if ! python3 -m venv "$folder" >&2; then
    echo 'python3 with its venv module is needed (on Debian and Ubuntu: apt-get install python3-venv)' >&2
    exit 1
  fi
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --only-binary :all: \
    --requirement "$requirements" >&2
fi
echo "$folder/bin/schemathesis"
