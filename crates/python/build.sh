#!/usr/bin/env bash
# Builds the wheel, with the `ktwin` command in it: build.sh OUT [PROFILE [COMMAND]], where OUT is a folder, PROFILE is
# release or dev, and COMMAND is a command that was built already.
set -euo pipefail
out=$(realpath -m "$1") profile=${2-release} command=$(realpath -m "${3-none}")
cd "$(dirname "$0")"
if [ ! -x "$command" ]; then
    cargo build --quiet --profile "$profile" -p ktwin --bin ktwin
    command=../../target/${profile/#dev/debug}/ktwin
fi
mkdir -p command/scripts
cp "$command" command/scripts/ktwin
maturin build --quiet --profile "$profile" --out "$out"
