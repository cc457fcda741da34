import AppStoreTrust
import Basics
import Foundation
import FuzzSupport

/// Checks both alphabets: each value has exactly one encoding, and Foundation decodes the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBase64(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    let data = Data(bytes)
    if let decoded = bytes.withUnsafeBytes({ Base64.decode($0) }) {
        Property.require(Data(decoded).base64EncodedData() == data, "accepted base64 is the only encoding of its value")
    }
    if let decoded = bytes.withUnsafeBytes({ Base64.decodeURL($0) }) {
        Property.require(
            Array(Base64.encodeURL(decoded).utf8) == bytes, "accepted base64url is the only encoding of its value")
        let padded = String(decoding: bytes, as: UTF8.self).replacing("-", with: "+").replacing("_", with: "/")
            .padding(toLength: (count + 3) / 4 * 4, withPad: "=", startingAt: 0)
        Property.require(Data(base64Encoded: padded) == Data(decoded), "Foundation decodes the same")
        Property.require(Base64.decode(padded) == decoded, "both alphabets decode the same")
    }
    Property.require(Base64.decode(data.base64EncodedString()) == bytes, "encoded base64 decodes to the same bytes")
    Property.require(Base64.decodeURL(Base64.encodeURL(bytes)) == bytes, "encoded base64url decodes to the same bytes")
    return 0
}
