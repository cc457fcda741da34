import AppStoreTrust
import Crypto
import Foundation
import FuzzSupport
import StoreSimulator
import SwiftASN1

/// The maximum time for which a response may be used, in seconds.
private let longest: TimeInterval = 86_400

private let parties = Property.success("the certificates can be created") { try OCSPParties() }

/// Reads an OCSP response; and response data that the harness signs with the issuer's key.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOCSPResponses(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    check(bytes)
    // Sign the input, so that the fuzzer reaches the code after the signature check.
    if (try? DER.parse(bytes))?.identifier == .sequence, let response = try? signed(bytes) {
        check(response)
        guard answer(response) != nil else { return 0 }
        var forged = response
        forged[forged.count - 1] ^= 1
        Property.require(answer(forged) == nil, "a forged signature is accepted")
    }
    return 0
}

private func answer(_ response: [UInt8]) -> VerifiedOCSPResponse? {
    try? VerifiedOCSPResponse(
        der: Data(response), to: parties.question, issuer: parties.issuer.certificate, now: present)
}

private func check(_ response: [UInt8]) {
    guard let answer = answer(response) else { return }
    Property.require(answer.thisUpdate <= present + 60, "a response from the future is accepted")
    Property.require(answer.expires > present, "an expired response is accepted")
    Property.require(answer.expires <= present + longest, "a response is used for longer than a day")
    Property.require(
        (try? VerifiedOCSPResponse(
            der: Data(response), to: parties.question, issuer: parties.stranger.certificate, now: present)) == nil,
        "a response is accepted for another issuer")
    // A response whose nextUpdate is more than a day away may be fetched and accepted again later.
    guard answer.expires < present + longest else { return }
    Property.require(
        (try? VerifiedOCSPResponse(
            der: Data(response), to: parties.question, issuer: parties.issuer.certificate, now: answer.expires)) == nil,
        "a response is accepted after its expiry")
}

private func signed(_ data: [UInt8]) throws -> [UInt8] {
    let signature = try parties.key.signature(for: data)
    var basic = DER.Serializer()
    try basic.appendConstructedNode(identifier: .sequence) { basic in
        basic.serializeRawBytes(data)
        try basic.appendConstructedNode(identifier: .sequence) {
            try $0.serialize([1, 2, 840, 10045, 4, 3, 2] as ASN1ObjectIdentifier)
        }
        try basic.serialize(ASN1BitString(bytes: Array(signature.derRepresentation)[...]))
    }
    var response = DER.Serializer()
    try response.appendConstructedNode(identifier: .sequence) { response in
        response.appendPrimitiveNode(identifier: .enumerated) { $0.append(0) }
        try response.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { tagged in
            try tagged.appendConstructedNode(identifier: .sequence) { bytes in
                try bytes.serialize([1, 3, 6, 1, 5, 5, 7, 48, 1, 1] as ASN1ObjectIdentifier)
                try bytes.serialize(ASN1OctetString(contentBytes: basic.serializedBytes[...]))
            }
        }
    }
    return response.serializedBytes
}
