#!/usr/bin/env bash
# Installs DynamoDB Local and a Java that runs it, only where they are missing, and prints the folder of its jars and of its
# native library. Needs Maven, set up for the repository of packages; POSTERN_DYNAMODB_LOCAL names another folder.
set -euo pipefail
version=2.6.1
sqlite4java=1.0.392

if [ -n "${POSTERN_DYNAMODB_LOCAL:-}" ]; then
  echo "$POSTERN_DYNAMODB_LOCAL"
  exit 0
fi
here=$(dirname "$0")
sh "$here/apt-install.sh" java default-jre-headless
cache=${POSTERN_INTEROP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/postern-interop}
home=$cache/dynamodb-local-$version
mkdir -p "$cache"

# One installs, all others wait for it.
if command -v flock >/dev/null; then
  exec 9>"$home.lock"
  flock 9
fi
if [ ! -e "$home/installed" ]; then
  sh "$here/apt-install.sh" mvn maven
  rm -rf "$home"
  mkdir -p "$home"
  cat >"$home/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>postern</groupId>
  <artifactId>interop</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>com.amazonaws</groupId>
      <artifactId>DynamoDBLocal</artifactId>
      <version>$version</version>
    </dependency>
    <dependency>
      <groupId>com.almworks.sqlite4java</groupId>
      <artifactId>libsqlite4java-linux-amd64</artifactId>
      <version>$sqlite4java</version>
      <type>so</type>
    </dependency>
  </dependencies>
</project>
POM
  mvn --quiet --batch-mode --file "$home/pom.xml" dependency:copy-dependencies \
    "-DoutputDirectory=$home/lib" -Dmdep.stripVersion=false >&2
  touch "$home/installed"
fi
echo "$home/lib"
