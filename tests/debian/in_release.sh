#!/bin/sh
# Runs commands of make on what is committed here, in a bare system of another release of Debian: with its compiler and its libraries.
# What it builds is kept in FOLDER, which git ignores where it is build-RELEASE.
# Usage: tests/debian/in_release.sh RELEASE FOLDER COMMAND...
set -eu
[ $# -ge 3 ] || { echo "usage: $0 RELEASE FOLDER COMMAND..." >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "$0: expected to be root, who alone makes a system of its own" >&2; exit 1; }
release=$1 root=$2
shift 2
clone=/home/fovea

[ -e "$root/complete" ] || {
  rm -rf "$root"
  debootstrap --variant=minbase --include=g++,cmake,make,git,ca-certificates "$release" "$root"
  git clone -q . "$root$clone"
  touch "$root/complete"
}
git -C "$root$clone" fetch -q "$PWD" HEAD
git -C "$root$clone" checkout -q --detach FETCH_HEAD

# The mounts are in a namespace of their own: they end with this process, however it ends.
exec unshare --mount sh -eu -c '
  root=$1 clone=$2
  shift 2
  for folder in proc dev; do mount --rbind "/$folder" "$root/$folder"; done
  exec chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin make -C "$clone" "$@"
' sh "$root" "$clone" "$@"
