#!/bin/bash
# Builds the image debian:12-slim, the base of the minions' image, from Debian 12's packages, for a machine that
# reaches no image registry.
#
# Who reaches one needs none of this: `make image` pulls debian:12-slim if it is not there.
#
# Needs root, docker and debootstrap. MIRROR: a Debian mirror; TAG: the image's name; WORK: scratch folder (1 GB).
set -euo pipefail
. "$(dirname "$0")/../rootfs.sh"

lay_out procps
import_image "${TAG:-debian:12-slim}" 'Debian 12, minimal, with procps' --change 'CMD ["bash"]'
