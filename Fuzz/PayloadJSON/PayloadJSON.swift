import AppStoreModels
import AppStoreServer
import Basics
import Foundation
import FuzzSupport

/// Decodes unsigned payloads. Foundation must decode everything that the strict decoder accepts to the same value, and
/// every model must survive encoding and decoding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPayloadJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    compare(JSONValue.self, bytes)
    compare(AnySignedPayload.self, bytes)
    roundTrip(JWSTransactionDecodedPayload.self, bytes)
    roundTrip(JWSRenewalInfoDecodedPayload.self, bytes)
    roundTrip(ResponseBodyV2DecodedPayload.self, bytes)
    roundTrip(AppTransaction.self, bytes)
    roundTrip(DecodedRealtimeRequestBody.self, bytes)
    roundTrip(JWSDecodedHeader.self, bytes)
    return 0
}

@discardableResult
private func compare<Value: Decodable & Equatable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
    guard let value = try? StrictJSONDecoder.decode(type, from: bytes), !hasDisputedNumber(bytes) else { return nil }
    let other = Property.success("Foundation decodes \(type) too") {
        try JSONDecoder().decode(type, from: Data(bytes))
    }
    Property.require(value == other, "Foundation decodes another \(type)")
    return value
}

/// Whether the JSON may have a number that Foundation refuses: one beyond the range of Double, which the strict decoder
/// reads as infinity or zero, or a zero with an exponent, such as `0e4`, which RFC 8259 allows.
private func hasDisputedNumber(_ bytes: [UInt8]) -> Bool {
    var (digits, isExponent, last): (Int, Bool, UInt8) = (0, false, 0)
    for byte in bytes {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            digits += 1
            if digits >= (isExponent ? 3 : 300) { return true }
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
            if digits == 1, last == UInt8(ascii: "0") { return true }
            (digits, isExponent) = (0, true)
        case UInt8(ascii: "+"), UInt8(ascii: "-"): digits = 0
        default: (digits, isExponent) = (0, false)
        }
        last = byte
    }
    return false
}

private func roundTrip<Value: Codable & Equatable>(_ type: Value.Type, _ bytes: [UInt8]) {
    guard let value = compare(type, bytes) else { return }
    let encoded = Property.success("\(type) can be encoded") { try JSONEncoder().encode(value) }
    let again = Property.success("an encoded \(type) can be decoded") {
        try StrictJSONDecoder.decode(type, from: Array(encoded))
    }
    Property.require(again == value, "\(type) is the same after encoding and decoding")
}

/// Any JSON, to compare complete values: models ignore unknown members.
private indirect enum JSONValue: Decodable, Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Name.self) {
            var members: [String: JSONValue] = [:]
            for name in container.allKeys { members[name.stringValue] = try container.decode(Self.self, forKey: name) }
            self = .object(members)
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(Self.self)) }
            self = .array(elements)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let text = try? container.decode(String.self) {
                self = .string(text)
            } else if let flag = try? container.decode(Bool.self) {
                self = .bool(flag)
            } else {
                self = .number(try container.decode(Double.self))
            }
        }
    }
}
