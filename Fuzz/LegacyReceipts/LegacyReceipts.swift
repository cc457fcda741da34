import AppStoreReceipts
import Foundation
import FuzzSupport

private let properties = Property.success("the seeds can be read") {
    try ReceiptProperties(targets: ["legacy-receipts"])
}

/// Reads a transaction receipt, as text or as base64. Alternatively the input is the purchase information, 0xFF and the
/// signature, because a fuzzer can hardly change these through base64.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLegacyReceipts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    guard let separator = bytes.firstIndex(of: 0xFF) else {
        properties.check(Data(bytes))
        return 0
    }
    let signature = bytes[(separator + 1)...]
    let receipt = container(Data(bytes[..<separator]), Data(signature))
    properties.check(receipt)
    if case .transaction(let content) = (try? UnverifiedReceipt(contents: receipt))?.content {
        let again = try? UnverifiedReceipt(
            contents: container(list(content.fields.map { ($0.key, $0.value) }), Data(signature)))
        Property.require(again?.content == .transaction(content), "the fields are the same after encoding and decoding")
    }
    return 0
}

private func container(_ information: Data, _ signature: Data) -> Data {
    list([("signature", signature.base64EncodedString()), ("purchase-info", information.base64EncodedString())])
}

/// Returns an old-style (OpenStep) property list.
private func list(_ entries: [(key: String, value: String)]) -> Data {
    func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }
        return "\"\(escaped.joined())\""
    }
    return Data("{\(entries.map { "\(quoted($0.key)) = \(quoted($0.value));" }.joined(separator: "\n"))}".utf8)
}
