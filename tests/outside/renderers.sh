#!/usr/bin/env bash
# Writes a run's report in every form and has each form judged by a tool that knows nothing of this program.
#   renderers.sh ASSIZE RUN [PROJECT]
# RUN must hold something that failed and something without a verdict. With PROJECT, the CI files that `assize init`
# wrote there, and the action of this repository, are looked over too.
# What is needed is installed into a folder that is kept between calls: $ASSIZE_OUTSIDE, or one under the system's folder
# for temporary files.
set -euo pipefail
assize=$1 run=$2 project=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
tools=${ASSIZE_OUTSIDE:-${TMPDIR:-/tmp}/assize-outside-$(id -u)}/renderers
if ! command -v prove >/dev/null || ! command -v npm >/dev/null; then
    apt-get update -q >&2 && apt-get install -y -q perl npm >&2
fi
if [ ! -e "$tools/ready" ]; then
    mkdir -p "$tools"
    python3 -m venv "$tools/python"
    pip="$tools/python/bin/pip --quiet --disable-pip-version-check"
    $pip install 'lxml==6.0.2' 'markdown-it-py==4.0.0' 'PyYAML==6.0.3'
    # The schema that Jenkins' readers go by is in the source distribution of pytest.
    $pip download --no-deps --no-binary :all: --dest "$tools" 'pytest==8.3.4' >&2
    tar -xzf "$tools"/pytest-8.3.4.tar.gz -C "$tools" --strip-components=3 \
        pytest-8.3.4/testing/example_scripts/junit-10.xsd
    npm install --silent --no-audit --no-fund --prefix "$tools" '@microsoft/sarif-multitool-linux@5.7.0' >&2
    touch "$tools/ready"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

code=0
for form in markdown comment junit sarif tap csv-cells csv-attempts csv-clauses csv-fixtures json github gitlab; do
    "$assize" report "$run" --format "$form" --out "$work/$form" || code=$?
    if [ "$code" != 1 ]; then
        echo "report --format $form ended with $code, although something failed"
        exit 1
    fi
done
printf 'sizes:'
(cd "$work" && for form in *; do printf ' %s %s' "$form" "$(wc -c <"$form")"; done)
echo

# TAP: a file that says so of itself, with a plan that is kept, and not all well.
if prove --quiet --exec cat "$work/tap" >"$work/prove.txt" 2>&1; then
    echo "prove: takes a failed run for a good one"
    exit 1
fi
if grep -q 'Parse errors' "$work/prove.txt"; then
    cat "$work/prove.txt"
    exit 1
fi
echo "prove: $(grep -o 'Failed [0-9]*/[0-9]* subtests' "$work/prove.txt")"

# SARIF: the validator ends with 0 whatever it finds, so what it found is counted.
cp "$work/sarif" "$work/report.sarif"
(cd "$work" && "$tools/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool" validate report.sarif \
    --rule-kind 'Sarif;Gh' --output found.sarif --log ForceOverwrite >multitool.txt 2>&1) || true
if [ ! -s "$work/found.sarif" ]; then
    cat "$work/multitool.txt"
    exit 1
fi

"$tools/python/bin/python" "$here/renderers.py" "$work" "$tools/junit-10.xsd"
if [ -n "$project" ]; then
    "$tools/python/bin/python" "$here/ci_files.py" "$project" "$here/../../action.yml"
fi
