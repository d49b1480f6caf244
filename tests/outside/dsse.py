"""Verifies DSSE envelopes with securesystemslib, which insists on the key's id, and looks at the statements in them."""

import json
import sys

from cryptography.hazmat.primitives.serialization import load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

# The fields that the test-result predicate v0.1 has; a strict reader refuses any other.
TEST_RESULT = {"result", "configuration", "url", "passedTests", "warnedTests", "failedTests"}

with open(sys.argv[1], "rb") as file:
    key = SSlibKey.from_crypto(load_pem_public_key(file.read()))
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        envelope = Envelope.from_dict(json.load(file))
    envelope.verify([key], 1)
    statement = json.loads(envelope.payload)
    assert statement["_type"] == "https://in-toto.io/Statement/v1", path
    assert all(subject["digest"] for subject in statement["subject"]), path
    if statement["predicateType"].startswith("https://in-toto.io/attestation/test-result/"):
        predicate = statement["predicate"]
        assert predicate["result"] in {"PASSED", "WARNED", "FAILED"} and predicate["configuration"], path
        assert set(predicate) <= TEST_RESULT, set(predicate) - TEST_RESULT
print(f"securesystemslib: {len(sys.argv) - 2} envelopes hold")
