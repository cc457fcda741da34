import AppStoreModels
import AppStoreTrust
import CounterfoilServer
import Foundation
import FuzzSupport
import Ledger
import LedgerServices

private let decoder = Property.success("the decoder can be made") {
    var configuration = ServerConfiguration(
        apps: [.init(bundleID: "com.example", appAppleID: 41, environments: [.production, .sandbox])])
    configuration.trust.anchors = TrustAnchors.apple.union(
        try TrustAnchors(certificates: [Material.certificate(.signedDataRoot)]))
    return try PastedDataDecoder(configuration, Apps(configuration.apps), .showing { present })
}

/// What people type and paste into the console: a search, and anything to decode.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConsoleInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    search(String(decoding: bytes, as: UTF8.self))
    let verdict = decode(bytes)
    check(verdict)
    Property.require(same(verdict, decode(bytes)), "one thing is decoded in two ways")
    return 0
}

private func search(_ typed: String) {
    guard let query = SearchQuery(typed) else { return }
    Property.require((1...255).contains(query.text.utf8.count), "a search has a length")
    Property.require(SearchQuery(query.text)?.text == query.text, "the text of a search is another search")
    for identifier in [query.transaction, query.event, query.order].compactMap(\.self) {
        Property.require(identifier.utf8.elementsEqual(query.text.utf8), "what is looked for is what was typed")
    }
    if let uuid = query.notification {
        Property.require(UUID(uuidString: query.text)?.uuidString.lowercased() == uuid, "a UUID is another one")
    }
    Property.require(query.transaction == nil || query.order == nil, "an order is no number")
}

private func decode(_ bytes: [UInt8]) -> DecodeVerdict {
    immediately { await decoder.verdict(bytes, .init(), secrets: ["hooks": [Secret("whsec_c2VjcmV0")]]) }
}

private func check(_ verdict: DecodeVerdict) {
    Property.require(!verdict.message.isEmpty, "a verdict is a sentence")
    Property.require(verdict.isProven == (verdict.code == nil), "what is refused has a reason, and only that")
    if let payload = verdict.payload {
        // It is put into the answer as it is.
        guard let text = String(validating: payload, as: UTF8.self) else { Property.fail("a payload is not UTF-8") }
        Property.requireJSON("[" + text + "]", "a payload is JSON inside of an answer")
    }
    for part in verdict.parts { check(part.verdict) }
}

private func same(_ one: DecodeVerdict, _ other: DecodeVerdict) -> Bool {
    one.kind == other.kind && one.isProven == other.isProven && one.code == other.code
        && one.checks.map(\.result) == other.checks.map(\.result) && one.payload == other.payload
        && one.parts.count == other.parts.count
        && zip(one.parts, other.parts).allSatisfy { same($0.verdict, $1.verdict) }
}
