"""Calls a running simulator with Apple's Python library, which is unmodified except for its base URL.

Usage: drive.py PLAN REPORT, both JSON files. See PythonClientTests.swift for the plan's members. The report says which
methods the library's client has, which of them returned, how many checks there were, and what went wrong.
"""

import json
import os
import sys
import traceback
import uuid
import warnings

from appstoreserverlibrary.api_client import APIError, APIException, GetTransactionHistoryVersion
from appstoreserverlibrary.models.AccountTenure import AccountTenure
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.ConsumptionStatus import ConsumptionStatus
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.DeliveryStatusV1 import DeliveryStatusV1
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.LifetimeDollarsPurchased import LifetimeDollarsPurchased
from appstoreserverlibrary.models.LifetimeDollarsRefunded import LifetimeDollarsRefunded
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.OrderLookupStatus import OrderLookupStatus
from appstoreserverlibrary.models.Platform import Platform
from appstoreserverlibrary.models.PlayTime import PlayTime
from appstoreserverlibrary.models.RefundPreference import RefundPreference
from appstoreserverlibrary.models.RefundPreferenceV1 import RefundPreferenceV1
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.TransactionHistoryRequest import Order, ProductType, TransactionHistoryRequest
from appstoreserverlibrary.models.Type import Type
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.models.UserStatus import UserStatus
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from appstoreserverlibrary.signed_data_verifier import VerificationException, VerificationStatus
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from drive_retention import images_and_messages, realtime
from simulated_store import METHODS, Client, Report, Store

# The older form of the consumption request is among the calls.
warnings.simplefilter("ignore", DeprecationWarning)


def transactions(store):
    plan, client = store.plan, store.client
    info = store.transaction(client.get_transaction_info(plan["subscription"]).signedTransactionInfo)
    store.equal("transaction", info.transactionId, plan["subscription"])
    store.equal("product", info.productId, plan["product"])
    store.equal("type", info.type, Type.AUTO_RENEWABLE_SUBSCRIPTION)
    store.equal("app transaction", info.appTransactionId, plan["appTransaction"])
    store.check("price", info.price > 0 and info.currency == "USD")

    for transaction in (plan["subscription"], plan["appTransaction"]):
        statuses = client.get_all_subscription_statuses(transaction)
        store.equal("environment of statuses", statuses.environment, store.environment)
        store.equal("groups", len(statuses.data), 1)
        last = statuses.data[0].lastTransactions[0]
        store.equal("status", last.status, Status.ACTIVE)
        store.equal("last transaction", store.transaction(last.signedTransactionInfo).transactionId, plan["subscription"])
        store.equal("renewal", store.renewal(last.signedRenewalInfo).autoRenewProductId, plan["product"])
    store.equal("expired ones", client.get_all_subscription_statuses(plan["subscription"], [Status.EXPIRED]).data, [])

    app = store.verifier.verify_and_decode_app_transaction(
        client.get_app_transaction_info(plan["coin"]).signedAppTransactionInfo)
    store.equal("app transaction of the customer", app.appTransactionId, plan["appTransaction"])
    if not store.is_sandbox:
        order = client.look_up_order_id(plan["order"])
        store.equal("order", order.status, OrderLookupStatus.VALID)
        store.equal("in the order", store.transaction(order.signedTransactions[0]).transactionId, plan["subscription"])
        store.equal("no order", client.look_up_order_id("NOSUCHORDER").status, OrderLookupStatus.INVALID)
    client.finish_transaction(plan["coin"])


def history(store):
    plan, client = store.plan, store.client

    def pages(request, version):
        found, revision, count = [], None, 0
        while True:
            page = client.get_transaction_history(plan["subscription"], revision, request, version)
            store.equal("environment of the history", page.environment, store.environment)
            store.check("size of a page", len(page.signedTransactions) <= 20)
            found += [store.transaction(text) for text in page.signedTransactions]
            count, revision = count + 1, page.revision
            if not page.hasMore:
                return found, count

    everything, count = pages(TransactionHistoryRequest(), GetTransactionHistoryVersion.V2)
    store.equal("pages of the history", count, 2)
    store.equal("history", [t.transactionId for t in everything], plan["history"])
    reverse, _ = pages(TransactionHistoryRequest(sort=Order.DESCENDING), GetTransactionHistoryVersion.V2)
    store.equal("history, reversed", [t.transactionId for t in reverse], plan["history"][::-1])
    # One consumable is finished by now.
    old, _ = pages(TransactionHistoryRequest(), GetTransactionHistoryVersion.V1)
    store.equal("history, first version", [t.transactionId for t in old],
                [t for t in plan["history"] if t != plan["coin"]])
    filtered, _ = pages(
        TransactionHistoryRequest(
            productTypes=[ProductType.AUTO_RENEWABLE], productIds=[plan["product"]], revoked=False,
            startDate=plan["start"], endDate=plan["end"]), GetTransactionHistoryVersion.V2)
    store.equal("history, filtered", [t.transactionId for t in filtered], [plan["subscription"]])

    refunds = client.get_refund_history(plan["refunded"], None)
    store.equal("refunds", [store.transaction(t).transactionId for t in refunds.signedTransactions], [plan["refunded"]])
    later = client.get_refund_history(plan["refunded"], refunds.revision)
    store.equal("later refunds", (later.signedTransactions, later.hasMore), ([], False))


def notifications(store):
    plan, client = store.plan, store.client

    def pages(request):
        found, token, count = [], None, 0
        while True:
            page = client.get_notification_history(token, request)
            store.check("size of a page of notifications", len(page.notificationHistory) <= 20)
            found += page.notificationHistory
            count, token = count + 1, page.paginationToken
            if not page.hasMore:
                return found, count

    items, count = pages(NotificationHistoryRequest(startDate=plan["start"], endDate=plan["end"]))
    store.equal("pages of notifications", count, (len(plan["notifications"]) + 19) // 20)
    bodies = [store.notification(item.signedPayload) for item in items]
    store.equal("notifications", [body.notificationUUID for body in bodies], plan["notifications"])
    for item, body in zip(items, bodies):
        store.equal("attempts", [a.sendAttemptResult for a in item.sendAttempts], [SendAttemptResult.SUCCESS])
        if body.data and body.data.signedTransactionInfo:
            store.transaction(body.data.signedTransactionInfo)
        if body.data and body.data.signedRenewalInfo:
            store.renewal(body.data.signedRenewalInfo)
    charges, _ = pages(NotificationHistoryRequest(
        startDate=plan["start"], endDate=plan["end"], notificationType=NotificationTypeV2.REFUND))
    store.equal("refund notifications", len(charges), 1)
    failures, _ = pages(NotificationHistoryRequest(startDate=plan["start"], endDate=plan["end"], onlyFailures=True))
    store.equal("failed notifications", failures, [])
    own, _ = pages(NotificationHistoryRequest(
        startDate=plan["start"], endDate=plan["end"], transactionId=plan["subscription"]))
    store.equal("notifications of a customer", len(own), len(plan["notifications"]))

    token = client.request_test_notification().testNotificationToken
    store.wait_until_idle()
    test = client.get_test_notification_status(token)
    store.equal("test", store.notification(test.signedPayload).notificationType, NotificationTypeV2.TEST)
    store.equal("attempts of the test", [a.sendAttemptResult for a in test.sendAttempts], [SendAttemptResult.SUCCESS])


def changes(store):
    plan, client = store.plan, store.client
    token = str(uuid.uuid4())
    client.set_app_account_token(plan["subscription"], UpdateAppAccountTokenRequest(appAccountToken=token))
    info = store.transaction(client.get_transaction_info(plan["subscription"]).signedTransactionInfo)
    store.equal("account token", info.appAccountToken, token)

    for transaction in plan["asked"]:
        store.control("POST", f"/{store.environment.name.lower()}/commands", {
            "requestRefund": {"customer": plan["customer"], "transaction": transaction}})
    client.send_consumption_information(plan["asked"][0], ConsumptionRequest(
        customerConsented=True, sampleContentProvided=False, deliveryStatus=DeliveryStatus.DELIVERED,
        consumptionPercentage=50_000, refundPreference=RefundPreference.GRANT_PRORATED))
    client.send_consumption_data(plan["asked"][1], ConsumptionRequestV1(
        customerConsented=True, consumptionStatus=ConsumptionStatus.NOT_CONSUMED, platform=Platform.APPLE,
        sampleContentProvided=False, deliveryStatus=DeliveryStatusV1.DELIVERED_AND_WORKING_PROPERLY,
        appAccountToken=token, accountTenure=AccountTenure.THIRTY_DAYS_TO_NINETY_DAYS,
        playTime=PlayTime.ONE_DAY_TO_FOUR_DAYS, lifetimeDollarsRefunded=LifetimeDollarsRefunded.ZERO_DOLLARS,
        lifetimeDollarsPurchased=LifetimeDollarsPurchased.ONE_CENT_TO_FORTY_NINE_DOLLARS_AND_NINETY_NINE_CENTS,
        userStatus=UserStatus.ACTIVE, refundPreference=RefundPreferenceV1.PREFER_DECLINE))
    store.wait_until_idle()
    if store.is_sandbox:
        # The sandbox decides at once, as the developer prefers.
        first = store.transaction(client.get_transaction_info(plan["asked"][0]).signedTransactionInfo)
        store.equal("prorated refund", first.revocationPercentage, 50_000)
        second = store.transaction(client.get_transaction_info(plan["asked"][1]).signedTransactionInfo)
        store.equal("declined refund", second.revocationDate, None)

    extended = client.extend_subscription_renewal_date(plan["subscription"], ExtendRenewalDateRequest(
        extendByDays=10, extendReasonCode=ExtendReasonCode.CUSTOMER_SATISFACTION, requestIdentifier="once"))
    store.equal("extension", (extended.success, extended.originalTransactionId), (True, plan["subscription"]))
    store.equal("extended by", extended.effectiveDate - info.expiresDate, 10 * 86_400_000)

    request = str(uuid.uuid4())
    answer = client.extend_renewal_date_for_all_active_subscribers(MassExtendRenewalDateRequest(
        extendByDays=5, extendReasonCode=ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE, requestIdentifier=request,
        storefrontCountryCodes=["USA", "DEU"], productId=plan["product"]))
    store.equal("mass extension", answer.requestIdentifier, request)
    status = client.get_status_of_subscription_renewal_date_extensions(request, plan["product"])
    store.equal("mass extension at first", (status.complete, status.succeededCount), (False, None))
    store.control("POST", "/clock/advance", {"by": "2h"})
    status = client.get_status_of_subscription_renewal_date_extensions(request, plan["product"])
    store.equal("mass extension later", (status.complete, status.succeededCount, status.failedCount), (True, 1, 0))


def receipts(store):
    transaction = ReceiptUtility().extract_transaction_id_from_app_receipt(store.plan["receipt"])
    store.check("transaction in the receipt", transaction in store.plan["history"], repr(transaction))
    info = store.transaction(store.client.get_transaction_info(transaction).signedTransactionInfo)
    store.equal("customer of the receipt", info.appTransactionId, store.plan["appTransaction"])
    volume, version1 = map(ReceiptUtility().extract_transaction_id_from_app_receipt, store.plan["otherReceipts"])
    store.check("transaction in the receipt of a volume purchase", volume in store.plan["history"], repr(volume))
    info = store.transaction(store.client.get_transaction_info(version1).signedTransactionInfo)
    store.equal("transaction in a notification of version 1", info.type, Type.CONSUMABLE)


def errors(store):
    client, plan = store.client, store.plan
    nothing = TransactionHistoryRequest()
    version = GetTransactionHistoryVersion.V2
    store.fails(400, APIError.INVALID_TRANSACTION_ID, lambda: client.get_transaction_info("abc"))
    store.fails(404, APIError.TRANSACTION_ID_NOT_FOUND, lambda: client.get_transaction_info("1"))
    store.fails(404, APIError.TRANSACTION_ID_NOT_FOUND, lambda: client.get_transaction_info(plan["elsewhere"]))
    store.fails(400, APIError.APP_TRANSACTION_ID_NOT_SUPPORTED_ERROR,
                lambda: client.get_transaction_info(plan["appTransaction"]))
    store.fails(400, APIError.INVALID_REQUEST_REVISION,
                lambda: client.get_transaction_history(plan["subscription"], "x", nothing, version))
    store.fails(400, APIError.INVALID_END_DATE, lambda: client.get_transaction_history(
        plan["subscription"], None, TransactionHistoryRequest(startDate=2, endDate=1), version))
    store.fails(400, APIError.INVALID_EXTEND_BY_DAYS, lambda: client.extend_subscription_renewal_date(
        plan["subscription"], ExtendRenewalDateRequest(91, ExtendReasonCode.OTHER, "r")))
    store.fails(400, APIError.INVALID_TEST_NOTIFICATION_TOKEN, lambda: client.get_test_notification_status("x"))
    store.fails(400, APIError.START_DATE_TOO_FAR_IN_PAST, lambda: client.get_notification_history(
        None, NotificationHistoryRequest(startDate=1, endDate=2)))
    store.fails(404, APIError.STATUS_REQUEST_NOT_FOUND, lambda: client
                .get_status_of_subscription_renewal_date_extensions(str(uuid.uuid4()), plan["product"]))
    store.fails(400, APIError.INVALID_APP_ACCOUNT_TOKEN_UUID_ERROR, lambda: client.set_app_account_token(
        plan["subscription"], UpdateAppAccountTokenRequest(appAccountToken="x")))
    if store.is_sandbox:
        store.fails(404, None, lambda: client.look_up_order_id("ORDER"))
    for effect, status, error in (
            ({"rateLimit": {"retryAfterSeconds": 60}}, 429, APIError.RATE_LIMIT_EXCEEDED),
            ({"error": {"code": 5000001}}, 500, APIError.GENERAL_INTERNAL_RETRYABLE),
            ({"error": {"code": 4040002}}, 404, APIError.ACCOUNT_NOT_FOUND_RETRYABLE),
            ({"status": {"code": 503}}, 503, None)):
        store.control("POST", "/faults", {"target": "route:*", "effect": effect, "count": 1})
        store.fails(status, error, lambda: client.get_transaction_info(plan["subscription"]))
    stranger = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    store.fails(401, None, lambda: Client(store, store.report, stranger).get_transaction_info(plan["subscription"]))


def revocation(store):
    """With a verifier of its own each time: the library remembers chains."""
    text = store.client.get_transaction_info(store.plan["subscription"]).signedTransactionInfo
    wanted = {
        "good": None, "revoked": VerificationStatus.VERIFICATION_FAILURE,
        "unknown": VerificationStatus.VERIFICATION_FAILURE, "expired": VerificationStatus.VERIFICATION_FAILURE,
        "unreachable": VerificationStatus.RETRYABLE_VERIFICATION_FAILURE,
    }
    for mode, status in wanted.items():
        store.control("PUT", "/ocsp", {"status": mode})
        try:
            store.new_verifier().verify_and_decode_signed_transaction(text)
            got = None
        except VerificationException as refusal:
            got = refusal.status
        store.equal(f"a chain whose certificates are {mode}", got, status)
    store.control("PUT", "/ocsp", {"status": "good"})


PARTS = [transactions, history, notifications, receipts, errors, revocation, changes, images_and_messages, realtime]


def causes(error):
    while error is not None:
        yield error
        error = error.__cause__


def describe(error):
    if isinstance(error, APIException):
        return f"APIException {error.http_status_code} {error.raw_api_error} {error.error_message}"
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} {error} ({frame.name}, line {frame.lineno})"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        plan = json.load(file)
    report = Report()
    for environment in (Environment.PRODUCTION, Environment.SANDBOX):
        store = Store(plan, environment, report)
        for part in PARTS:
            try:
                part(store)
            except Exception as error:  # One part must not hide the others.
                frame = traceback.extract_tb(error.__traceback__)
                line = [f for f in frame if "drive" in os.path.basename(f.filename) and f.name != "call"][-1]
                detail = "; caused by ".join(describe(cause) for cause in causes(error))
                report.failures.append(f"{store.name}: {part.__name__}, line {line.lineno}: {detail}")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump({
            "methods": METHODS, "returned": report.returned, "checks": report.checks, "verified": report.verified,
            "errors": sorted(set(report.errors)), "failures": report.failures}, file)


main()
