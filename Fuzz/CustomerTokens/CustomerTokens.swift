import Basics
import CounterfoilServer
import Crypto
import Foundation
import FuzzSupport
import Ledger

private let secret = Secret("the secret of an app that nobody else has")
private let bundleID = "com.example.app"
private let now = Date(timeIntervalSince1970: 1_780_000_000)

/// Customer tokens: nobody gets in without the secret, and whoever signs a token gets what the rules for tokens allow.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCustomerTokens(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    // As it is: whoever sends it does not know the secret.
    Property.require(read(String(decoding: bytes, as: UTF8.self)) == nil, "a token is refused that nobody signed")
    // As what an app's backend signs, after the header that it should have and after one of its own.
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
        "a customer has a name that can be one")
    Property.require(
        token.customer.precomposedStringWithCanonicalMapping.utf8.elementsEqual(token.customer.utf8),
        "a customer's name is in Normalization Form C")
    Property.require(
        token.appAccountToken.map { $0 == $0.lowercased() && UUID(uuidString: $0) != nil } ?? true,
        "the account of purchases is a UUID in lower case")
    Property.require(read(text, at: now + 24 * 3600 + 61) == nil, "a token holds for a day at most")
    Property.require(read(text, Secret("another one")) == nil, "a token has one secret")
    // Any other letter of it, and it is none. The last letter of a part can say the same in two ways, which the reader refuses.
    for index in stride(from: 0, to: text.utf8.count, by: 7) {
        var other = Array(text.utf8)
        other[index] = other[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        Property.require(read(String(decoding: other, as: UTF8.self)) == nil, "a changed token is refused")
    }
}

private func read(_ text: String, _ secret: Secret = secret, at now: Date = now) -> CustomerToken? {
    // A refusal is an answer as good as any other here.
    try? CustomerToken(text, secret: secret, bundleID: bundleID, now: now)
}

private func signed(_ header: [UInt8], _ claims: [UInt8]) -> String {
    let text = Base64.encodeURL(header) + "." + Base64.encodeURL(claims)
    let key = SymmetricKey(data: Data(secret.revealed.utf8))
    return text + "." + Base64.encodeURL(Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)))
}
