"""Verifies tokens and offers of the Swift tests with Apple's Python library, and signs others for comparison.

Usage: verify_signatures.py QUESTIONS ANSWERS, both JSON files. See SignerInteropTests.swift for their members.
"""

import base64
import json
import sys
import uuid

import jwt
from appstoreserverlibrary.api_client import AppStoreServerAPIClient
from appstoreserverlibrary.jws_signature_creator import (
    IntroductoryOfferEligibilitySignatureCreator,
    JWSSignatureCreator,
    PromotionalOfferV2SignatureCreator,
)
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA

with open(sys.argv[1], encoding="utf-8") as file:
    asked = json.load(file)
pem = asked["key"].encode()
key = serialization.load_pem_private_key(pem, password=None)
identity = (pem, asked["keyId"], asked["issuerId"], asked["bundleId"])
AUDIENCES = {
    "api": "appstoreconnect-v1",
    "promotionalOffer": "promotional-offer",
    "introductoryOffer": "introductory-offer-eligibility",
    "advancedCommerce": "advanced-commerce-api",
}


def read(kind, token):
    """Returns header and claims. Checks the signature with the public key, and the audience."""
    claims = jwt.decode(token, key.public_key(), algorithms=["ES256"], audience=AUDIENCES[kind])
    return {"header": jwt.get_unverified_header(token), "claims": claims}


theirs = {
    "api": AppStoreServerAPIClient(*identity, Environment.SANDBOX)._generate_token(),
    "promotionalOffer": PromotionalOfferV2SignatureCreator(*identity).create_signature("p", "o", "1"),
    "introductoryOffer": IntroductoryOfferEligibilitySignatureCreator(*identity).create_signature("p", True, "1"),
    # The signature covers the JSON of the in-app requests, so their models are not needed.
    "advancedCommerce": JWSSignatureCreator("advanced-commerce-api", *identity)._create_signature(
        {"request": base64.b64encode(asked["request"].encode()).decode()}
    ),
}

offer = asked["offer"]
creator = PromotionalOfferSignatureCreator(pem, asked["keyId"], asked["bundleId"])
text = "\u2063".join(
    [asked["bundleId"], asked["keyId"], "p", "o", offer["account"].lower(), offer["nonce"].lower(), str(offer["timestamp"])]
)
try:
    key.public_key().verify(base64.b64decode(offer["signature"]), text.encode(), ECDSA(hashes.SHA256()))
    accepted = True
except InvalidSignature:
    accepted = False

answers = {
    "ours": {kind: read(kind, token) for kind, token in asked["tokens"].items()},
    "theirs": {kind: read(kind, token) for kind, token in theirs.items()},
    "acceptsOffer": accepted,
    "offer": creator.create_signature("p", "o", offer["account"], uuid.UUID(offer["nonce"]), offer["timestamp"]),
}
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(answers, file)
