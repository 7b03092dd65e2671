#!/usr/bin/env bash
# Builds the wheel, with the `ktwin` command in it, into the folder that is named: build.sh OUT [--profile dev]
set -euo pipefail
cd "$(dirname "$0")"
out=$1
shift
profile=release folder=release
if [ "${1-}" = --profile ]; then
    profile=$2
    folder=$([ "$2" = dev ] && echo debug || echo "$2")
fi
cargo build --quiet --profile "$profile" -p ktwin --bin ktwin
mkdir -p command/scripts
cp "../../target/$folder/ktwin" command/scripts/ktwin
maturin build --quiet --profile "$profile" --out "$out"
