# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by the bash scripts of the lab.
# Everything downloaded or built lies under $LAB, never in the source tree.

LAB=${KREL_LAB:-${XDG_CACHE_HOME:-$HOME/.cache}/krel-lab}
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TOP=$(cd "$HERE/../.." && pwd)
me=${0##*/}
export KREL_LAB=$LAB KREL_CACHE=$LAB
mkdir -p "$LAB"

say() { printf '%s %5ds %s: %s\n' "$(date +%T)" "$SECONDS" "$me" "$*" >&2; }
die() { echo "$me: $*" >&2; exit 1; }

# The Debian name of an architecture of 32 or 64 bits, and its library folder.
debian_arch() { [ "$1" = 64 ] && echo amd64 || echo i386; }
triplet() { [ "$1" = 64 ] && echo x86_64-linux-gnu || echo i386-linux-gnu; }

# The word size of one of Debian's kernels, by its name here.
kernel_bits() {
	case $1 in
	*-amd64) echo 64 ;;
	*) echo 32 ;;
	esac
}
