import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Basics
import Foundation
import FuzzSupport
import StoreSimulator

private let harness = Property.success("the verifier can be made") { try Harness() }

/// Verifies a JWS. To reach the checks after the signature, the harness also signs the input with its authority, as a
/// payload (`{…`) or as a protected header (`h{…`, with `%L`, `%I` and `%R` for the certificates).
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSignedData(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    harness.verifyText(bytes)
    switch bytes.first {
    case UInt8(ascii: "{"): harness.signPayload(bytes)
    case UInt8(ascii: "h"): harness.signHeader(bytes.dropFirst())
    default: break
    }
    return 0
}

private struct Harness: Sendable {
    private typealias Answer = Result<Verified<AnySignedPayload>, VerificationError>

    private let authority: Authority
    private let tolerant: SignedDataVerifier
    private let strict: SignedDataVerifier
    /// The signing inputs (header, dot and payload) of the seeds and of the genuine data.
    private var signed: Set<Substring> = []

    init() throws {
        authority = try Authority(now: present)
        let own = [Data(authority.root.der), try Material.certificate(.signedDataRoot)]
        let all: Set<AppStoreEnvironment> = [.production, .sandbox, .xcode, .localTesting]
        var configuration = SignedDataVerifier.Configuration(apps: .any(all))
        configuration.anchors = TrustAnchors.apple.union(try TrustAnchors(certificates: own))
        configuration.enrolledXcodeCertificates = [try Material.certificate(.xcode)]
        configuration.validationTime = .signingDate
        configuration.now = { present }
        tolerant = try SignedDataVerifier(configuration)
        configuration.apps = .only([App(bundleID: "com.example", appAppleID: 41, environments: [.production])])
        configuration.validationTime = .now
        strict = try SignedDataVerifier(configuration)
        let genuine = try Material.contents(of: Material.fixtures.appending(path: "jws"))
        for data in try Material.seeds("signed-data") + genuine {
            let text = String(decoding: data, as: UTF8.self)
            if case .success = answer(text) { signed.insert(Self.signingInput(text)) }
        }
        Property.require(!signed.isEmpty, "some of the seeds verify")
    }

    func verifyText(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard case .success(let verified) = answer(text) else { return }
        Property.require(verified.text == text, "the verified text is the received text")
        Property.require(signed.contains(Self.signingInput(text)), "a JWS without a valid signature is accepted")
    }

    func signPayload(_ payload: [UInt8]) {
        let text = Property.success("anything can be signed") { try authority.sign(json: Data(payload)) }
        let decoded = try? StrictJSONDecoder.decode(AnySignedPayload.self, from: payload)
        switch answer(text) {
        case .success(let verified):
            Property.require(verified.payload == decoded, "the payload is the signed payload")
            let isLocal = [.xcode, .localTesting].contains(environment(of: verified.payload))
            Property.require(!isLocal, "the App Store's certificates are accepted for local testing")
        case .failure(let error):
            Property.require(
                (error.code == .badJSON) == (decoded == nil),
                "the code is badJSON exactly if the payload cannot be decoded: \(error)")
            Property.require(
                [.badJSON, .wrongEnvironment, .expiredOrNotYetValid].contains(error.code),
                "a signed payload is refused with another code: \(error)")
        }
    }

    func signHeader(_ template: ArraySlice<UInt8>) {
        var header = String(decoding: template, as: UTF8.self)
        let ders = authority.chain.map { Data($0).base64EncodedString() }
        for (name, der) in zip(["%L", "%I", "%R"], ders) { header = header.replacing(name, with: der) }
        let text = Property.success("anything can be signed") {
            try CompactJWS.sign(header: header.utf8, payload: Self.payload, with: authority.signingKey)
        }
        guard case .success = answer(text) else { return }
        let members =
            Property.success("the header is JSON") {
                try JSONSerialization.jsonObject(with: Data(header.utf8)) as? [String: Any]
            } ?? [:]
        Property.require(members["alg"] as? String == "ES256", "the algorithm is ES256")
        Property.require(members["x5c"] as? [String] == ders, "the chain is the authority's")
        Property.require(members["crit"] == nil && members["b64"] == nil, "the header has no crit and no b64")
    }

    private static let payload = Data("{\"transactionId\":\"1\",\"environment\":\"Sandbox\"}".utf8)

    private func answer(_ text: String) -> Answer {
        immediately {
            do throws(VerificationError) {
                let verified = try await tolerant.anyPayload(text)
                // The strict verifier may refuse the text, but must not return another payload.
                if let other = try? await strict.anyPayload(text) {
                    Property.require(other.payload == verified.payload, "two verifiers return different payloads")
                    Property.require(environment(of: other.payload) == .production, "only production is configured")
                }
                return .success(verified)
            } catch {
                return .failure(error)
            }
        }
    }

    private func environment(of payload: AnySignedPayload) -> AppStoreEnvironment? {
        switch payload {
        case .transaction(let payload): payload.environment
        case .renewalInfo(let payload): payload.environment
        case .appTransaction(let payload): payload.receiptType
        case .realtimeRequest(let payload): payload.environment
        case .notification(let payload):
            if let data = payload.data {
                data.environment
            } else if let summary = payload.summary {
                summary.environment
            } else if let token = payload.externalPurchaseToken {
                token.externalPurchaseId.hasPrefix("SANDBOX") ? .sandbox : .production
            } else {
                payload.appData?.environment
            }
        }
    }

    private static func signingInput(_ text: String) -> Substring {
        text[..<(text.lastIndex(of: ".") ?? text.startIndex)]
    }
}
