"""A simulated store, called with Apple's Python library, and the report about it."""

import inspect
import json

import requests
from appstoreserverlibrary.api_client import APIException, AppStoreServerAPIClient
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

METHODS = sorted(
    name for name, _ in inspect.getmembers(AppStoreServerAPIClient, inspect.isfunction) if not name.startswith("_"))


class Report:
    def __init__(self):
        self.checks = 0
        self.failures = []
        self.returned = {}
        self.errors = []
        self.verified = 0

    def check(self, what, condition, detail=""):
        self.checks += 1
        if not condition:
            self.failures.append(f"{what} {detail}".strip())

    def equal(self, what, got, wanted):
        self.check(what, got == wanted, f"is {got!r}, not {wanted!r}")


class Client:
    """Apple's client. Counts the calls of each method that returned."""

    def __init__(self, store, report, key=None):
        self._client = AppStoreServerAPIClient(
            key or store.key, store.simulator["keyId"], store.simulator["issuerId"], store.simulator["bundleId"],
            store.environment)
        self._client._base_url = store.url
        self._report = report

    def __getattr__(self, name):
        method = getattr(self._client, name)

        def call(*arguments, **named):
            result = method(*arguments, **named)
            self._report.returned[name] = self._report.returned.get(name, 0) + 1
            return result

        return call


class Store:
    """One environment: its part of the plan, a client and a verifier."""

    def __init__(self, plan, environment, report):
        self.plan = plan["stores"][environment.value]
        self.environment = environment
        self.report = report
        with open(plan["simulator"], encoding="utf-8") as file:
            self.simulator = json.load(file)
        with open(self.simulator["privateKey"], "rb") as file:
            self.key = file.read()
        self.url = self.simulator["baseURLs"][environment.name.lower()]
        self.client = Client(self, report)
        self.verifier = self.new_verifier()
        self.name = environment.value

    @property
    def is_sandbox(self):
        return self.environment == Environment.SANDBOX

    def new_verifier(self):
        roots = []
        for path in self.simulator["rootCertificates"]:
            with open(path, "rb") as file:
                roots.append(file.read())
        return SignedDataVerifier(
            roots, True, self.environment, self.simulator["bundleId"], self.simulator["appAppleId"])

    def control(self, method, path, body=None):
        answer = requests.request(method, self.simulator["controlURL"] + path, json=body, timeout=30)
        answer.raise_for_status()

    def wait_until_idle(self):
        """Waits until every due notification has been sent."""
        self.control("POST", "/wait-until-idle")

    def equal(self, what, got, wanted):
        self.report.equal(f"{self.name}: {what}", got, wanted)

    def check(self, what, condition, detail=""):
        self.report.check(f"{self.name}: {what}", condition, detail)

    def transaction(self, text):
        self.report.verified += 1
        return self.verifier.verify_and_decode_signed_transaction(text)

    def renewal(self, text):
        self.report.verified += 1
        return self.verifier.verify_and_decode_renewal_info(text)

    def notification(self, text):
        self.report.verified += 1
        return self.verifier.verify_and_decode_notification(text)

    def fails(self, status, error, call):
        """The call must fail with this status and this member of APIError, or without one."""
        name = f"{status} {error.name if error else 'without a code'}"
        try:
            call()
        except APIException as failure:
            self.equal(f"status of {name}", failure.http_status_code, status)
            self.equal(f"error of {name}", failure.api_error, error)
            if error is not None:
                self.check(f"message of {name}", bool(failure.error_message))
                self.report.errors.append(error.name)
            return
        self.check(f"expected {name}", False, "but the call succeeded")
