#!/usr/bin/env bash
# Verifies the signatures of a run with tools that know nothing of this program.
#   verify.sh RUN PUBLIC_KEY
# Python packages go into a folder of their own, which is kept between calls: $ASSIZE_OUTSIDE, or one under the
# system's folder for temporary files.
set -euo pipefail
run=$1 key=$2
here=$(cd "$(dirname "$0")" && pwd)
tools=${ASSIZE_OUTSIDE:-${TMPDIR:-/tmp}/assize-outside-$(id -u)}
if [ ! -e "$tools/ready" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check \
        'securesystemslib[crypto]==1.6.0' 'model-signing==1.1.1' pyopenssl
    touch "$tools/ready"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# openssl: over the pre-authentication encoding, which is put together here from the envelope alone. A record may be signed
# with several keys; one of the signatures must be this key's.
holds() {
    rm -f "$work"/sig.*
    "$tools/bin/python" "$here/pae.py" "$1" "$work/pae" "$work/sig"
    for sig in "$work"/sig.*; do
        if [ "$kind" = ed25519 ]; then
            openssl pkeyutl -verify -pubin -inkey "$key" -rawin -in "$work/pae" -sigfile "$sig" && return 0
        else
            openssl dgst -sha256 -verify "$key" -signature "$sig" "$work/pae" && return 0
        fi
    done >/dev/null 2>&1
    return 1
}
kind=p256
if openssl pkey -pubin -in "$key" -noout -text | grep -q ED25519; then
    kind=ed25519
fi
count=0
for envelope in "$run"/attestations/*.dsse.json; do
    if ! holds "$envelope"; then
        echo "openssl: no signature of $envelope is this key's"
        exit 1
    fi
    count=$((count + 1))
done
# A bundle has the signature of one key.
own=
for bundle in "$run"/attestations/*.sigstore.json; do
    if [ "$kind" = p256 ] && [ -e "$bundle" ] && holds "$bundle"; then
        own=$bundle
        count=$((count + 1))
    fi
done
echo "openssl: $count signatures hold"

"$tools/bin/python" "$here/dsse.py" "$key" "$run"/attestations/*.dsse.json

if [ "$kind" = p256 ]; then
    "$tools/bin/model_signing" verify key "$run" --signature "$own" --public_key "$key" >&2
    echo "model-signing: the folder is what was signed"
fi
