"""Takes an envelope (or a bundle with one) apart: what was signed, and the signature."""

import base64
import json
import sys

envelope = json.load(open(sys.argv[1], encoding="utf-8"))
envelope = envelope.get("dsseEnvelope", envelope)
body = base64.b64decode(envelope["payload"], validate=True)
kind = envelope["payloadType"].encode()
with open(sys.argv[2], "wb") as out:
    out.write(b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(body), body))
with open(sys.argv[3], "wb") as out:
    out.write(base64.b64decode(envelope["signatures"][0]["sig"], validate=True))
