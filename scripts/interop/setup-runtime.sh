#!/bin/sh
# setup-runtime.sh deno|bun|workerd|jest: installs it from npm into a folder of its own, only where it is missing, and prints
# the path of its command (for jest, of the script that Node runs). POSTERN_CACHE names another folder for it.
#
# Not development dependencies: Deno, Bun and workerd are packages per platform of 90 to 150 MB, which the unit tests do
# not need. Versions are pinned here; npm checks the registry's integrity hashes.
set -eu

platform=$(uname -s)-$(uname -m)
case $1-$platform in
  deno-Linux-x86_64) package=@deno/linux-x64-glibc version=2.9.6 command=deno ;;
  deno-Linux-aarch64) package=@deno/linux-arm64-glibc version=2.9.6 command=deno ;;
  deno-Darwin-arm64) package=@deno/darwin-arm64 version=2.9.6 command=deno ;;
  bun-Linux-x86_64) package=@oven/bun-linux-x64 version=1.4.5 command=bin/bun ;;
  bun-Linux-aarch64) package=@oven/bun-linux-aarch64 version=1.4.5 command=bin/bun ;;
  bun-Darwin-arm64) package=@oven/bun-darwin-aarch64 version=1.4.5 command=bin/bun ;;
  workerd-Linux-x86_64) package=@cloudflare/workerd-linux-64 version=1.20261117.1 command=bin/workerd ;;
  workerd-Linux-aarch64) package=@cloudflare/workerd-linux-arm64 version=1.20261117.1 command=bin/workerd ;;
  workerd-Darwin-arm64) package=@cloudflare/workerd-darwin-arm64 version=1.20261117.1 command=bin/workerd ;;
  jest-*) package=jest version=30.5.2 command=bin/jest.js ;;
  *)
    echo "no $1 for $platform" >&2
    exit 1
    ;;
esac

# Another version is another folder: nothing is upgraded in place.
folder=${POSTERN_CACHE:-$HOME/.cache/postern}/$1-$version

# One installs, all others wait for it.
mkdir -p "$folder"
if command -v flock >/dev/null 2>&1; then
  exec 9>"$folder.lock"
  flock 9
fi
if [ ! -e "$folder/installed" ]; then
  echo "installing $package@$version" >&2
  echo '{ "private": true }' >"$folder/package.json"
  npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --save-exact "$package@$version" >&2
  touch "$folder/installed"
fi
echo "$folder/node_modules/$package/$command"
