import AppStoreReceipts
import AppStoreTrust
import Foundation
import StoreSimulator
import SwiftASN1
import TestSupport
import Testing
import X509

extension SyntheticReceiptTests {
    /// Signs with a chain of the same keys under another root.
    private static func signWithOtherChain(_ builder: inout ReceiptBuilder, _ authority: ReceiptAuthority) throws {
        let root = try authority.issue("Other Root", key: authority.root.key, isAuthority: true)
        let intermediate = try authority.issue(
            "Other", by: root, key: authority.intermediate.key, isAuthority: true,
            markers: [ReceiptAuthority.intermediateMarker])
        builder.signer = try authority.issue(
            "Leaf", by: intermediate, key: authority.leaf.key, markers: [ReceiptAuthority.leafMarker])
        builder.certificates = [builder.signer.der, intermediate.der, root.der]
    }

    static let containers: [ReceiptChange] = [
        .init("nothing", nil) { _, _ in },
        .init("certificates in another order", nil) { builder, _ in builder.certificates.reverse() },
        .init("certificates that do not belong there", nil) { builder, authority in
            builder.certificates.insert(contentsOf: [authority.xcode.der, [0x30, 0]], at: 0)
        },
        .init("SHA-1", nil) { builder, _ in builder.digest = [1, 3, 14, 3, 2, 26] },
        .init("SHA-1, named in the signature algorithm", nil) { builder, _ in
            builder.digest = [1, 3, 14, 3, 2, 26]
            builder.signatureAlgorithm = [1, 2, 840, 113549, 1, 1, 5]
        },
        .init("SHA-256, named in the signature algorithm", nil) { builder, _ in
            builder.signatureAlgorithm = [1, 2, 840, 113549, 1, 1, 11]
        },
        .init("indefinite lengths and chunks", nil) { builder, _ in builder.isIndefinite = true },
        .init("signed attributes", nil) { builder, _ in builder.signedAttributes = ReceiptBuilder.standardAttributes
        },
        .init("signed attributes of another content", .badSignature) { builder, _ in
            builder.signedAttributes = { _ in try ReceiptBuilder.standardAttributes(Array(repeating: 0, count: 32)) }
        },
        .init("signed attributes without a digest", .malformedReceipt) { builder, _ in
            builder.signedAttributes = { try [ReceiptBuilder.standardAttributes($0)[0]] }
        },
        .init("signed attributes without the content type", .malformedReceipt) { builder, _ in
            builder.signedAttributes = { try [ReceiptBuilder.standardAttributes($0)[1]] }
        },
        .init("signed attributes with two digests", .malformedReceipt) { builder, _ in
            builder.signedAttributes = {
                try ReceiptBuilder.standardAttributes($0) + [ReceiptBuilder.standardAttributes($0)[1]]
            }
        },
        .init("another payload under signed attributes", .badSignature) { builder, _ in
            builder.signedAttributes = ReceiptBuilder.standardAttributes
            builder.substitute = PayloadBuilder(purchases: [PayloadBuilder.purchase()]).bytes
        },
        .init("another payload", .badSignature) { builder, _ in
            builder.substitute = PayloadBuilder(purchases: [PayloadBuilder.purchase()]).bytes
        },
        .init("another signer's key", .badSignature) { builder, authority in
            builder.signer = try authority.leaf.with(key: authority.xcode)
        },
        .init("a signer who is not in the bag", .badSignature) { builder, authority in builder.signer = authority.xcode
        },
        .init("MD5", .unsupportedAlgorithm) { builder, _ in builder.digest = [1, 2, 840, 113549, 2, 5] },
        .init("SHA-512", .unsupportedAlgorithm) { builder, _ in builder.digest = [2, 16, 840, 1, 101, 3, 4, 2, 3] },
        .init("a signature algorithm of another digest", .unsupportedAlgorithm) { builder, _ in
            builder.signatureAlgorithm = [1, 2, 840, 113549, 1, 1, 5]
        },
        .init("a signature algorithm of another key", .unsupportedAlgorithm) { builder, _ in
            builder.signatureAlgorithm = [1, 2, 840, 10045, 4, 3, 2]
        },
        .init("no signer", .malformedReceipt) { builder, _ in builder.signerCount = 0 },
        .init("two signers", .malformedReceipt) { builder, _ in builder.signerCount = 2 },
        .init("no certificates", .malformedReceipt) { builder, _ in builder.certificates = [] },
        .init("no content", .malformedReceipt) { builder, _ in builder.isDetached = true },
        .init("content of another type", .malformedReceipt) { builder, _ in
            builder.contentType = [1, 2, 840, 113549, 1, 9, 16, 1, 4]
        },
        .init("enveloped data", .malformedReceipt) { builder, _ in builder.outerType = [1, 2, 840, 113549, 1, 7, 3] },
        .init("too many certificates", .tooLarge) { builder, authority in
            builder.certificates += Array(repeating: authority.root.der, count: 14)
        },
        .init("a certificate that is too large", .tooLarge) { builder, _ in
            builder.certificates.append(RawDER.sequence(RawDER.octets(Array(repeating: 0, count: 40_000))))
        },
        .init("no intermediate", .chainLength) { builder, _ in builder.certificates.remove(at: 1) },
        .init("no root", .chainLength) { builder, _ in builder.certificates.removeLast() },
        .init("another root of the same name", .untrustedRoot) { builder, authority in
            builder.certificates[2] = try authority.issue("Test Root CA", key: authority.xcode.key, isAuthority: true)
                .der
        },
        .init("a chain of another authority", .untrustedRoot) { builder, authority in
            try signWithOtherChain(&builder, authority)
        },
        .init("a chain of another authority beside the anchor", .untrustedRoot) { builder, authority in
            try signWithOtherChain(&builder, authority)
            builder.certificates.append(authority.root.der)
        },
        .init("a certificate of its own", .untrustedRoot) { builder, authority in
            builder.signer = authority.xcode
            builder.certificates = [authority.xcode.der]
        },
        .init(leaf: "a leaf without the marker", .missingLeafMarker) {
            try $0.issue("Developer", by: $0.intermediate, key: $0.leaf.key)
        },
        .init(leaf: "a leaf that is an authority", .badChainRules) {
            try $0.issue(
                "Leaf", by: $0.intermediate, key: $0.leaf.key, isAuthority: true, markers: [ReceiptAuthority.leafMarker]
            )
        },
        .init(leaf: "a leaf that may not sign", .badChainRules) {
            try $0.issue(
                "Leaf", by: $0.intermediate, key: $0.leaf.key, canSign: false, markers: [ReceiptAuthority.leafMarker])
        },
        .init(leaf: "a leaf with an unknown critical extension", .badChainRules) {
            try $0.issue(
                "Leaf", by: $0.intermediate, key: $0.leaf.key, markers: [ReceiptAuthority.leafMarker],
                critical: [1, 2, 3, 4])
        },
        .init(leaf: "a leaf signed by another key", .badChainSignature) {
            let other = try $0.intermediate.with(key: $0.xcode)
            return try $0.issue("Leaf", by: other, key: $0.leaf.key, markers: [ReceiptAuthority.leafMarker])
        },
        .init(leaf: "a leaf that had expired", .expiredOrNotYetValid) {
            try $0.issue(
                "Leaf", by: $0.intermediate, key: $0.leaf.key, markers: [ReceiptAuthority.leafMarker],
                validity: $0.validity.lowerBound...$0.validity.lowerBound.addingTimeInterval(1))
        },
        .init(intermediate: "an intermediate without the marker", .missingIntermediateMarker) {
            try $0.issue("Intermediate", by: $0.root, key: $0.intermediate.key, isAuthority: true)
        },
        .init(intermediate: "an intermediate that is no authority", .badChainRules) {
            try $0.issue(
                "Intermediate", by: $0.root, key: $0.intermediate.key, markers: [ReceiptAuthority.intermediateMarker])
        },
        .init(intermediate: "an intermediate signed by another key", .badChainSignature) {
            let other = try $0.root.with(key: $0.xcode)
            return try $0.issue(
                "Intermediate", by: other, key: $0.intermediate.key, isAuthority: true,
                markers: [ReceiptAuthority.intermediateMarker])
        },
    ]

    static let payloads: [ReceiptChange] = [
        .init(payload: "creation before the certificates", .expiredOrNotYetValid) {
            $0.set(12, RawDER.ia5("2019-01-01T00:00:00Z"))
        },
        .init(payload: "creation after the certificates", .expiredOrNotYetValid) {
            $0.set(12, RawDER.ia5("2030-06-01T00:00:00Z"))
        },
        .init(payload: "no creation date", .malformedReceipt) { $0.set(12, nil) },
        .init(payload: "an empty creation date", .malformedReceipt) { $0.set(12, RawDER.ia5("")) },
        .init(payload: "no date for a creation date", .malformedReceipt) {
            $0.set(12, RawDER.ia5("2022-02-30T00:00:00Z"))
        },
        .init(payload: "no bundle identifier", .malformedReceipt) { $0.set(2, nil) },
        .init(payload: "a number for a bundle identifier", .malformedReceipt) { $0.set(2, RawDER.integer(1)) },
        .init(payload: "no version", .malformedReceipt) { $0.set(3, nil) },
        .init(payload: "no opaque value", .malformedReceipt) { $0.set(4, nil) },
        .init(payload: "no hash", .malformedReceipt) { $0.set(5, nil) },
        .init(payload: "a bundle identifier twice", .malformedReceipt) {
            $0.attributes.append((2, RawDER.utf8("other")))
        },
        .init(payload: "a number that is too large", .malformedReceipt) {
            $0.set(15, RawDER.element(2, [1] + Array(repeating: 0, count: 8)))
        },
        .init(payload: "a number beyond 63 bits", .malformedReceipt) {
            $0.set(15, RawDER.element(2, [0] + Array(repeating: 0xFF, count: 8)))
        },
        .init(payload: "a negative number", .malformedReceipt) { $0.set(15, RawDER.element(2, [0xFF])) },
        .init(payload: "a text for an optional number", nil) { $0.set(15, RawDER.utf8("1")) },
        .init(payload: "no date for an optional date", nil) { $0.set(18, RawDER.ia5("yesterday")) },
        .init(payload: "no date for the expiration", .malformedReceipt) { $0.set(21, RawDER.ia5("never")) },
        .init(payload: "an unknown attribute twice", nil) { $0.attributes += [(99, [1]), (99, [2])] },
        .init(payload: "the same purchase twice", nil) { $0.attributes.append((17, PayloadBuilder.purchase())) },
        .init(payload: "a purchase that is no SET", .malformedReceipt) { $0.attributes.append((17, [4, 0])) },
        .init(payload: "a purchase without a product", .malformedReceipt) {
            $0.attributes.append((17, PayloadBuilder.purchase(without: 1702)))
        },
        .init(payload: "a purchase without a transaction", .malformedReceipt) {
            $0.attributes.append((17, PayloadBuilder.purchase(without: 1703)))
        },
        .init(payload: "a purchase without a date", .malformedReceipt) {
            $0.attributes.append((17, PayloadBuilder.purchase(without: 1704)))
        },
        .init(payload: "a purchase with two transactions", .malformedReceipt) {
            $0.attributes.append((17, PayloadBuilder.purchase([(1703, RawDER.utf8("2"))])))
        },
        .init(payload: "no date for a cancellation", .malformedReceipt) {
            $0.attributes.append((17, PayloadBuilder.purchase([(1712, RawDER.ia5("soon"))])))
        },
        .init(payload: "Xcode's environment under the store's signature", .wrongEnvironment) {
            $0.set(0, RawDER.utf8("Xcode"))
        },
        .init(payload: "an unknown environment", .wrongEnvironment) { $0.set(0, RawDER.utf8("Moon")) },
        .init(payload: "no environment", .wrongEnvironment) { $0.set(0, nil) },
        .init(payload: "an expiration that has passed", .receiptExpired) {
            $0.set(21, RawDER.ia5("2022-01-02T00:00:00Z"))
        },
        .init(payload: "an expiration to come", nil) { $0.set(21, RawDER.ia5("4001-01-01T00:00:00+0000")) },
        .init("a payload that is no SET", .malformedReceipt) { builder, _ in builder.payload[0] = 0x30 },
        .init("bytes after the payload", .malformedReceipt) { builder, _ in builder.payload.append(0) },
        .init("an empty payload", .malformedReceipt) { builder, _ in builder.payload = [] },
        .init("an attribute with a field too many", .malformedReceipt) { builder, _ in
            builder.payload = RawDER.set([
                RawDER.sequence(RawDER.integer(2), RawDER.integer(1), RawDER.octets([]), RawDER.octets([]))
            ])
        },
        .init("an attribute without a value", .malformedReceipt) { builder, _ in
            builder.payload = RawDER.set([RawDER.sequence(RawDER.integer(2), RawDER.integer(1))])
        },
        .init("an attribute whose number is too large", .malformedReceipt) { builder, _ in
            let type = RawDER.element(2, [1] + Array(repeating: 0, count: 8))
            builder.payload = RawDER.set([RawDER.sequence(type, RawDER.integer(1), RawDER.octets([]))])
        },
        .init("an attribute whose number is negative", .malformedReceipt) { builder, _ in
            builder.payload = RawDER.set([
                RawDER.sequence(RawDER.element(2, [0x80]), RawDER.integer(1), RawDER.octets([]))
            ])
        },
    ]
}
