#!/bin/sh
# Installs the Debian packages of the sections named (see dependencies.txt) that are missing.
# Usage: cmake/install_dependencies.sh SECTION...
set -eu

list=$(dirname "$0")/dependencies.txt
[ $# -gt 0 ] || { echo "usage: $0 SECTION... (sections: $(sed -n 's/^\[\(.*\)\]$/\1/p' "$list" | paste -sd ' '))" >&2; exit 2; }

packages=
for section in "$@"; do
  found=$(awk -v wanted="[$section]" '/^\[/ { inside = $0 == wanted; next } inside && NF && !/^#/' "$list")
  [ -n "$found" ] || { echo "$0: $list has no section [$section]" >&2; exit 2; }
  packages="$packages $found"
done

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian system; these packages, or what they are called here, are expected:" $packages >&2
  exit 0
fi

# A package may be there for other processors, too.
own=$(dpkg --print-architecture)
missing=
for package in $packages; do
  case $package in *:*) wanted=${package#*:} ;; *) wanted="$own\|all" ;; esac
  dpkg-query -W -f '${Architecture} ${db:Status-Status}\n' "$package" 2>/dev/null | grep -q "^\($wanted\) installed$" ||
    missing="$missing $package"
done
[ -n "$missing" ] || exit 0

architectures=$(printf '%s\n' $missing | sed -n 's/.*://p' | sort -u)
if [ "$(id -u)" != 0 ]; then
  echo "Missing Debian packages:$missing" >&2
  echo "Install them with: sudo $0 $*" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
for architecture in $architectures; do dpkg --add-architecture "$architecture"; done
apt-get update -q || echo "Not all lists of packages could be fetched; going on with those that are here." >&2
# shellcheck disable=SC2086 # one word a package
apt-get install -q -y --no-install-recommends $missing
