import AppStoreTrust
import Crypto
import Foundation
import FuzzSupport
import StoreSimulator
import SwiftASN1

/// No answer is used for longer, in seconds.
private let longest: TimeInterval = 86_400

private let parties = Property.success("the parties exist") { try OCSPParties() }

/// A response as a responder sends it; and response data that the responder really signs.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOCSPResponses(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    check(bytes)
    // A signature is not to be found by chance, so what lies behind it would stay unseen.
    if (try? DER.parse(bytes))?.identifier == .sequence, let response = try? signed(bytes) {
        check(response)
        guard answer(response) != nil else { return 0 }
        var forged = response
        forged[forged.count - 1] ^= 1
        Property.require(answer(forged) == nil, "a forged signature counts")
    }
    return 0
}

private func answer(_ response: [UInt8]) -> OCSPAnswer? {
    try? OCSPAnswer(der: Data(response), to: parties.question, issuer: parties.issuer.certificate, now: present)
}

private func check(_ response: [UInt8]) {
    guard let answer = answer(response) else { return }
    Property.require(answer.thisUpdate <= present + 60, "an answer comes from the future")
    Property.require(answer.expires > present, "an answer is too old")
    Property.require(answer.expires <= present + longest, "an answer is used for longer than a day")
    Property.require(
        (try? OCSPAnswer(
            der: Data(response), to: parties.question, issuer: parties.stranger.certificate, now: present)) == nil,
        "an answer holds for another issuer")
    // One that promises more may be used again when it is asked for again a day later.
    guard answer.expires < present + longest else { return }
    Property.require(
        (try? OCSPAnswer(
            der: Data(response), to: parties.question, issuer: parties.issuer.certificate, now: answer.expires)) == nil,
        "an answer outlives itself")
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
