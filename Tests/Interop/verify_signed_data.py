"""Verifies signed data of the Swift tests with Apple's Python library, and creates signed data for them.

Usage: verify_signed_data.py QUESTIONS ANSWERS, both JSON files. See InteropTests.swift for their members.
"""

import base64
import json
import sys

import jwt
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

METHODS = {
    "transaction": "verify_and_decode_signed_transaction",
    "renewalInfo": "verify_and_decode_renewal_info",
    "notification": "verify_and_decode_notification",
    "appTransaction": "verify_and_decode_app_transaction",
    "realtimeRequest": "verify_and_decode_realtime_request",
}


def verdict(question):
    """Returns None if the library accepts the text, or else the reason."""
    try:
        verifier = SignedDataVerifier(
            [base64.b64decode(question["root"])],
            False,
            Environment(question["environment"]),
            question["bundleId"],
            question.get("appAppleId"),
        )
        getattr(verifier, METHODS[question["kind"]])(question["text"])
        return None
    except VerificationException as refusal:
        return refusal.status.name
    except Exception as error:  # An error that the library does not wrap is a refusal too.
        return type(error).__name__


def signed(order):
    """Returns a JWS that PyJWT created."""
    return jwt.encode(
        json.loads(order["payload"]), order["key"], algorithm="ES256", headers={"x5c": order["x5c"]}
    )


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        questions = json.load(file)
    answers = {
        "verdicts": [{"name": q["name"], "refusal": verdict(q)} for q in questions["verify"]],
        "signed": {order["kind"]: signed(order) for order in questions["sign"]},
    }
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(answers, file)


main()
