import AppStoreTrust
import Crypto
import Foundation
import StoreSimulator
import SwiftASN1
import TestSupport
import X509

/// A behavior of an OCSP responder, and the expected result.
struct ResponderCase: Sendable, CustomStringConvertible {
    enum Meaning: Sendable, Equatable { case good, revoked, unknown(String) }

    let description: String
    let meaning: Meaning
    /// Answers a request about a certificate of `issuer`.
    let answer: @Sendable (_ issuer: Issued, _ request: Data) async throws -> Data

    private init(
        _ description: String, _ meaning: Meaning, _ change: @escaping @Sendable (inout OCSPResponder) throws -> Void
    ) {
        self.init(description, meaning) { issuer, request in
            var responder = OCSPResponder(issuer: issuer, now: TestStore.now)
            try change(&responder)
            return try responder.answer(request)
        }
    }

    private init(
        _ description: String, _ meaning: Meaning, answer: @escaping @Sendable (Issued, Data) async throws -> Data
    ) {
        (self.description, self.meaning, self.answer) = (description, meaning, answer)
    }

    private static let now = TestStore.now

    static let all: [ResponderCase] = [statuses, dates, responders, delegates, bytes].flatMap(\.self)

    private static let statuses: [ResponderCase] = [
        ResponderCase("good", .good) { _ in },
        ResponderCase("revoked", .revoked) { $0.status = .revoked(now - 86_400) },
        ResponderCase("revoked a second ago", .revoked) { $0.status = .revoked(now - 1) },
        ResponderCase("unknown", .unknown("does not know")) { $0.status = .unknown },
        ResponderCase("good, another serial number", .unknown("another certificate")) { $0.serialNumber = [1, 2, 3] },
        ResponderCase("revoked, another serial number", .unknown("another certificate")) {
            $0.status = .revoked(now)
            $0.serialNumber = [1, 2, 3]
        },
        ResponderCase("a critical extension of the answer", .unknown("critical")) { $0.criticalExtension = .answer },
        ResponderCase("a critical extension of the response", .unknown("critical")) {
            $0.criticalExtension = .response
        },
    ]

    private static let dates: [ResponderCase] = [
        ResponderCase("expires in a second", .good) { $0.nextUpdate = now + 1 },
        ResponderCase("expires now", .unknown("expired")) { $0.nextUpdate = now },
        ResponderCase("expired long ago", .unknown("expired")) { $0.nextUpdate = now - 86_400 },
        ResponderCase("revoked, but expired", .unknown("expired")) {
            $0.status = .revoked(now - 86_400)
            $0.nextUpdate = now - 1
        },
        ResponderCase("from the next minute", .good) { $0.thisUpdate = now + 60 },
        ResponderCase("from further ahead", .unknown("not yet valid")) { $0.thisUpdate = now + 61 },
        ResponderCase("without an end, young", .good) {
            $0.thisUpdate = now - 299
            $0.nextUpdate = nil
        },
        ResponderCase("without an end, old", .unknown("expired")) {
            $0.thisUpdate = now - 300
            $0.nextUpdate = nil
        },
    ]

    private static let responders: [ResponderCase] = [
        ResponderCase("named by key", .good) { $0.isNamedByKey = true },
        ResponderCase("a forged signature", .unknown("signature")) { $0.forgesSignature = true },
        ResponderCase("revoked, a forged signature", .unknown("signature")) {
            $0.status = .revoked(now)
            $0.forgesSignature = true
        },
        ResponderCase("signed by a stranger with the issuer's name", .unknown("signature")) { issuer, request in
            let key = Certificate.PrivateKey(P384.Signing.PrivateKey())
            let impostor = try Issued(certificate: issuer.certificate, key: key)
            return try OCSPResponder(issuer: impostor, now: now).answer(request)
        },
        ResponderCase("signed by a stranger", .unknown("no certificate of its responder")) { _, request in
            try OCSPResponder(issuer: Authority(now: now, name: "Stranger").root, now: now).answer(request)
        },
    ]

    private static let delegates: [ResponderCase] = [
        delegate("a delegate", .good) { _ in },
        delegate("a delegate named by key", .good, isNamedByKey: true) { _ in },
        delegate("a delegate: revoked", .revoked, status: .revoked(now)) { _ in },
        delegate("a delegate without the right to sign", .unknown("not for signing")) { $0.isOCSPSigner = false },
        delegate("a delegate for encryption", .unknown("digital signatures")) {
            $0.keyUsage = KeyUsage(keyEncipherment: true)
        },
        delegate("a delegate without key usage", .good) { $0.keyUsage = nil },
        delegate("a delegate with an unknown critical extension", .unknown("critical extension")) {
            $0.extraExtensions = [.init(oid: [1, 2, 3, 4], critical: true, value: [0x05, 0x00])]
        },
        delegate("a delegate whose revocation need not be checked", .good) {
            $0.extraExtensions = [.init(oid: [1, 3, 6, 1, 5, 5, 7, 48, 1, 5], critical: true, value: [0x05, 0x00])]
        },
        delegate("a delegate that expired", .unknown("not valid now")) { $0.notAfter = now - 1 },
        delegate("a delegate not yet valid", .unknown("not valid now")) { $0.notBefore = now + 1 },
        delegate("a delegate that ends now", .good) { $0.notAfter = now },
        ResponderCase("a delegate of another authority", .unknown("not authorized")) { issuer, request in
            let other = try Authority(now: now, name: "Other")
            return try answer(request, issuer, delegate: signer.issue(for: key(), by: other.intermediate))
        },
        ResponderCase("a delegate of another authority with the same name", .unknown("not authorized")) {
            issuer, request in
            let impostor = try Issued(certificate: issuer.certificate, key: key())
            return try answer(request, issuer, delegate: signer.issue(for: key(), by: impostor))
        },
        ResponderCase("a delegate signed by itself", .unknown("not authorized")) { issuer, request in
            try answer(request, issuer, delegate: signer.issue(for: key()))
        },
        ResponderCase("a delegate's certificate, a stranger's signature", .unknown("signature")) { issuer, request in
            let delegate = try signer.issue(for: key(), by: issuer)
            return try answer(request, issuer, delegate: Issued(certificate: delegate.certificate, key: key()))
        },
    ]

    private static let bytes: [ResponderCase] = [
        ResponderCase("nothing", .unknown("cannot be read|no answer")) { _, _ in Data() },
        ResponderCase("garbage", .unknown("no answer")) { _, _ in Data("not here".utf8) },
        ResponderCase("a page", .unknown("no answer")) { _, _ in Data("<html>…</html>".utf8) },
        ResponderCase("zeros", .unknown("no answer")) { _, _ in Data(count: 1000) },
        ResponderCase("the question itself", .unknown("no answer")) { _, request in request },
        ResponderCase("try later", .unknown("status 3")) { _, _ in Data([0x30, 3, 0x0A, 1, 3]) },
        ResponderCase("unauthorized", .unknown("status 6")) { _, _ in Data([0x30, 3, 0x0A, 1, 6]) },
        ResponderCase("success without a response", .unknown("no answer")) { _, _ in Data([0x30, 3, 0x0A, 1, 0]) },
        ResponderCase("half an answer", .unknown("no answer")) { issuer, request in
            let whole = try OCSPResponder(issuer: issuer, now: now).answer(request)
            return whole.prefix(whole.count / 2)
        },
        ResponderCase("an answer and a byte", .unknown("no answer")) { issuer, request in
            try OCSPResponder(issuer: issuer, now: now).answer(request) + [0]
        },
        ResponderCase("too much", .unknown("too large")) { _, _ in Data(count: 64 * 1024 + 1) },
        ResponderCase("a failure", .unknown("no answer")) { _, _ in throw URLError(.cannotConnectToHost) },
    ]

    private static func delegate(
        _ description: String, _ meaning: Meaning, isNamedByKey: Bool = false, status: OCSPResponder.Status = .good,
        _ change: @escaping @Sendable (inout CertificateTemplate) -> Void
    ) -> ResponderCase {
        ResponderCase(description, meaning) { issuer, request in
            var template = signer
            change(&template)
            var responder = OCSPResponder(issuer: issuer, now: now)
            responder.delegate = try template.issue(for: key(), by: issuer)
            responder.isNamedByKey = isNamedByKey
            responder.status = status
            return try responder.answer(request)
        }
    }

    private static func answer(_ request: Data, _ issuer: Issued, delegate: Issued) throws -> Data {
        var responder = OCSPResponder(issuer: issuer, now: now)
        responder.delegate = delegate
        return try responder.answer(request)
    }

    private static func key() -> Certificate.PrivateKey { .init(P384.Signing.PrivateKey()) }

    private static var signer: CertificateTemplate {
        var template = CertificateTemplate(
            commonName: "OCSP Responder", notBefore: now - 86_400, notAfter: now + 86_400,
            basicConstraints: .notCertificateAuthority, keyUsage: KeyUsage(digitalSignature: true))
        template.isOCSPSigner = true
        return template
    }
}
