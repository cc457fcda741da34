"""The calls of the Retention Messaging API."""

import struct
import uuid
import zlib

from appstoreserverlibrary.api_client import APIError
from appstoreserverlibrary.models.BulletPoint import BulletPoint
from appstoreserverlibrary.models.DefaultConfigurationRequest import DefaultConfigurationRequest
from appstoreserverlibrary.models.HeaderPosition import HeaderPosition
from appstoreserverlibrary.models.ImageSize import ImageSize
from appstoreserverlibrary.models.ImageState import ImageState
from appstoreserverlibrary.models.MessageState import MessageState
from appstoreserverlibrary.models.PerformanceTestRequest import PerformanceTestRequest
from appstoreserverlibrary.models.PerformanceTestStatus import PerformanceTestStatus
from appstoreserverlibrary.models.RealtimeUrlRequest import RealtimeUrlRequest
from appstoreserverlibrary.models.UploadMessageImage import UploadMessageImage
from appstoreserverlibrary.models.UploadMessageRequestBody import UploadMessageRequestBody


def png(width, height):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes((width + 1) * height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def images_and_messages(store):
    client = store.client
    full, bullet, message = uuid.uuid4(), uuid.uuid4(), uuid.uuid4()
    client.upload_image(full, png(3840, 160))
    client.upload_image(bullet, png(1024, 1024), ImageSize.BULLET_POINT)
    images = client.get_image_list().imageIdentifiers
    store.equal("images", [i.imageIdentifier for i in images], [full, bullet])
    store.equal("sizes", [i.imageSize for i in images], [ImageSize.FULL_SIZE, ImageSize.BULLET_POINT])
    state = ImageState.APPROVED if store.is_sandbox else ImageState.PENDING
    store.equal("states", {i.imageState for i in images}, {state})
    client.upload_message(message, UploadMessageRequestBody(
        header="Stay", body="There is more to come.", headerPosition=HeaderPosition.ABOVE_IMAGE,
        image=UploadMessageImage(imageIdentifier=full, altText="A picture"),
        bulletPoints=[BulletPoint(text="First", imageIdentifier=bullet, altText="A dot")]))
    messages = client.get_message_list().messageIdentifiers
    store.equal("messages", [m.messageIdentifier for m in messages], [message])
    store.equal("state of the message", messages[0].messageState,
                MessageState.APPROVED if store.is_sandbox else MessageState.PENDING)
    store.fails(403, APIError.IMAGE_IN_USE, lambda: client.delete_image(full))
    store.fails(409, APIError.MESSAGE_ALREADY_EXISTS, lambda: client.upload_message(
        message, UploadMessageRequestBody(header="Stay", body="Please.")))
    store.fails(400, APIError.INVALID_IMAGE, lambda: client.upload_image(uuid.uuid4(), b"no image"))
    default(store, message)
    client.delete_message(message)
    client.delete_image(full)
    client.delete_image(bullet)
    store.equal("images that are left", client.get_image_list().imageIdentifiers, [])
    store.fails(404, APIError.IMAGE_NOT_FOUND, lambda: client.delete_image(full))


def default(store, message):
    client, product = store.client, store.plan["product"]
    request = DefaultConfigurationRequest(messageIdentifier=message)
    if store.is_sandbox:
        client.configure_default_message(product, "en-US", request)
        store.equal("default", client.get_default_message(product, "en-US").messageIdentifier, message)
        client.delete_default_message(product, "en-US")
    else:
        store.fails(403, APIError.MESSAGE_NOT_APPROVED,
                    lambda: client.configure_default_message(product, "en-US", request))
    store.fails(404, APIError.DEFAULT_MESSAGE_NOT_FOUND, lambda: client.get_default_message(product, "en-US"))


def realtime(store):
    client, url = store.client, store.plan["realtimeURL"]
    store.fails(404, APIError.REALTIME_URL_NOT_FOUND, client.get_realtime_url)
    if not store.is_sandbox:
        store.fails(403, APIError.FORBIDDEN_NO_PASSING_TEST,
                    lambda: client.configure_realtime_url(RealtimeUrlRequest(realtimeURL=url)))
        return
    client.configure_realtime_url(RealtimeUrlRequest(realtimeURL=url))
    store.equal("realtime URL", client.get_realtime_url().realtimeURL, url)
    started = client.initiate_performance_test(
        PerformanceTestRequest(originalTransactionId=store.plan["subscription"]))
    store.check("configuration of the test", started.config.totalRequests > 0)
    results = client.get_performance_test_results(started.requestId)
    store.equal("tested URL", results.target, url)
    store.check("result of the test", isinstance(results.result, PerformanceTestStatus))
    store.fails(404, APIError.PERFORMANCE_TEST_RUN_NOT_FOUND,
                lambda: client.get_performance_test_results(str(uuid.uuid4())))
    client.delete_realtime_url()
