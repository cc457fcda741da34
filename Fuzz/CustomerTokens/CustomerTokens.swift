import Basics
import CounterfoilServer
import Crypto
import Foundation
import FuzzSupport
import Ledger

private let secret = Secret("the secret of an app that nobody else has")
private let bundleID = "com.example.app"
private let now = Date(timeIntervalSince1970: 1_780_000_000)

/// Reads customer tokens. Tokens without a valid signature must be refused, and accepted claims must follow the rules.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCustomerTokens(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    // The input is not signed with the secret, so it must be refused.
    Property.require(
        read(String(decoding: bytes, as: UTF8.self)) == nil, "a token without a valid signature is refused")
    // Sign the input as claims, with the standard header and with a header from the input.
    let parts = bytes.split(separator: 0, maxSplits: 1)
    let plain = signed(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8), bytes)
    check(plain)
    if parts.count == 2 { check(signed(Array(parts[0]), Array(parts[1]))) }
    return 0
}

private func check(_ text: String) {
    guard let token = read(text) else { return }
    Property.require(
        (1...255).contains(token.customer.utf8.count)
            && token.customer.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control },
        "a customer's identifier has 1 to 255 bytes and no control characters")
    Property.require(
        token.customer.precomposedStringWithCanonicalMapping.utf8.elementsEqual(token.customer.utf8),
        "a customer's identifier is in Normalization Form C")
    Property.require(
        token.appAccountToken.map { $0 == $0.lowercased() && UUID(uuidString: $0) != nil } ?? true,
        "the account token is a UUID in lower case")
    Property.require(read(text, at: now + 24 * 3600 + 61) == nil, "a token is valid for at most a day")
    Property.require(read(text, Secret("another one")) == nil, "a token is refused with another secret")
    // A token with one changed character must be refused. The last character of a part may have unused bits, which the
    // reader requires to be zero.
    for index in stride(from: 0, to: text.utf8.count, by: 7) {
        var other = Array(text.utf8)
        other[index] = other[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        Property.require(read(String(decoding: other, as: UTF8.self)) == nil, "a changed token is refused")
    }
}

private func read(_ text: String, _ secret: Secret = secret, at now: Date = now) -> CustomerToken? {
    // Any error means that the token is refused.
    try? CustomerToken(text, secret: secret, bundleID: bundleID, now: now)
}

private func signed(_ header: [UInt8], _ claims: [UInt8]) -> String {
    let text = Base64.encodeURL(header) + "." + Base64.encodeURL(claims)
    let key = SymmetricKey(data: Data(secret.revealed.utf8))
    return text + "." + Base64.encodeURL(Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)))
}
