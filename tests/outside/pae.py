"""Takes an envelope (or a bundle with one) apart: what was signed, and each signature, as SIG.0, SIG.1 and so on."""

import base64
import json
import sys

envelope = json.load(open(sys.argv[1], encoding="utf-8"))
envelope = envelope.get("dsseEnvelope", envelope)
body = base64.b64decode(envelope["payload"], validate=True)
kind = envelope["payloadType"].encode()
with open(sys.argv[2], "wb") as out:
    out.write(b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(body), body))
for number, signature in enumerate(envelope["signatures"]):
    with open(f"{sys.argv[3]}.{number}", "wb") as out:
        out.write(base64.b64decode(signature["sig"], validate=True))
