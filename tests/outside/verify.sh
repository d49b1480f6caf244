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

# openssl: over the pre-authentication encoding, which is put together here from the envelope alone.
count=0
for envelope in "$run"/attestations/*.json; do
    "$tools/bin/python" "$here/pae.py" "$envelope" "$work/pae" "$work/sig"
    if openssl pkey -pubin -in "$key" -noout -text | grep -q ED25519; then
        openssl pkeyutl -verify -pubin -inkey "$key" -rawin -in "$work/pae" -sigfile "$work/sig" >/dev/null
    else
        openssl dgst -sha256 -verify "$key" -signature "$work/sig" "$work/pae" >/dev/null
    fi
    count=$((count + 1))
done
echo "openssl: $count signatures hold"

"$tools/bin/python" "$here/dsse.py" "$key" "$run"/attestations/*.dsse.json

if [ -e "$run/attestations/folder.sigstore.json" ]; then
    "$tools/bin/model_signing" verify key "$run" \
        --signature "$run/attestations/folder.sigstore.json" --public_key "$key" >&2
    echo "model-signing: the folder is what was signed"
fi
