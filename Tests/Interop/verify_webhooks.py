"""Verifies messages with the reference library of Standard Webhooks, and checks that it refuses changed ones."""
import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def accepts(secret, message):
    try:
        Webhook(secret).verify(message["body"].encode(), message["headers"])
        return True
    except WebhookVerificationError:
        return False


def main(source, target):
    with open(source) as file:
        plan = json.load(file)
    report = {"accepted": 0, "failures": []}
    for message in plan["messages"]:
        for secret in plan["secrets"]:
            if accepts(secret, message):
                report["accepted"] += 1
            else:
                report["failures"].append(f"{message['headers']['webhook-id']} is refused")
        damaged = {"headers": message["headers"], "body": message["body"] + " "}
        if accepts(plan["secrets"][0], damaged):
            report["failures"].append("a changed body is accepted")
        if accepts(plan["stranger"], message):
            report["failures"].append("a stranger's secret is accepted")
    with open(target, "w") as file:
        json.dump(report, file)


main(*sys.argv[1:])
