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

/// Reads input of the console: a search, and pasted data to decode.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConsoleInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    search(String(decoding: bytes, as: UTF8.self))
    let verdict = decode(bytes)
    check(verdict)
    Property.require(same(verdict, decode(bytes)), "the same data is decoded differently the second time")
    return 0
}

private func search(_ typed: String) {
    guard let query = SearchQuery(typed) else { return }
    Property.require((1...255).contains(query.text.utf8.count), "a search has 1 to 255 bytes")
    Property.require(SearchQuery(query.text)?.text == query.text, "the text of a search is the same search")
    for identifier in [query.transaction, query.event, query.order].compactMap(\.self) {
        Property.require(identifier.utf8.elementsEqual(query.text.utf8), "the identifier is the typed text")
    }
    if let uuid = query.notification {
        Property.require(
            UUID(uuidString: query.text)?.uuidString.lowercased() == uuid, "the notification's UUID is the typed UUID")
    }
    Property.require(query.transaction == nil || query.order == nil, "a search is not for a transaction and an order")
}

private func decode(_ bytes: [UInt8]) -> DecodeVerdict {
    immediately { await decoder.verdict(bytes, .init(), secrets: ["hooks": [Secret("whsec_c2VjcmV0")]]) }
}

private func check(_ verdict: DecodeVerdict) {
    Property.require(!verdict.message.isEmpty, "a verdict has a message")
    Property.require(verdict.isProven == (verdict.code == nil), "a verdict has a code exactly if it is not proven")
    if let payload = verdict.payload {
        // The payload is inserted into the response unchanged.
        guard let text = String(validating: payload, as: UTF8.self) else { Property.fail("a payload is not UTF-8") }
        Property.requireJSON("[" + text + "]", "a payload is JSON")
    }
    for part in verdict.parts { check(part.verdict) }
}

private func same(_ one: DecodeVerdict, _ other: DecodeVerdict) -> Bool {
    one.kind == other.kind && one.isProven == other.isProven && one.code == other.code
        && one.checks.map(\.result) == other.checks.map(\.result) && one.payload == other.payload
        && one.parts.count == other.parts.count
        && zip(one.parts, other.parts).allSatisfy { same($0.verdict, $1.verdict) }
}
