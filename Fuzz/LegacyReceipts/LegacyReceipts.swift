import AppStoreReceipts
import Foundation
import FuzzSupport

private let properties = Property.success("the seeds can be read") {
    try ReceiptProperties(targets: ["legacy-receipts"])
}

/// A transaction receipt, as text or as base64; or its two parts with 0xFF between them, purchase information and
/// signature: changing those through base64 takes a fuzzer too long.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLegacyReceipts(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    guard let border = bytes.firstIndex(of: 0xFF) else {
        properties.check(Data(bytes))
        return 0
    }
    let signature = bytes[(border + 1)...]
    let receipt = container(Data(bytes[..<border]), Data(signature))
    properties.check(receipt)
    if case .transaction(let content) = (try? UnverifiedReceipt(contents: receipt))?.content {
        let again = try? UnverifiedReceipt(
            contents: container(list(content.fields.map { ($0.key, $0.value) }), Data(signature)))
        Property.require(again?.content == .transaction(content), "fields survive being written down")
    }
    return 0
}

private func container(_ information: Data, _ signature: Data) -> Data {
    list([("signature", signature.base64EncodedString()), ("purchase-info", information.base64EncodedString())])
}

/// A property list of the old style.
private func list(_ entries: [(key: String, value: String)]) -> Data {
    func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }
        return "\"\(escaped.joined())\""
    }
    return Data("{\(entries.map { "\(quoted($0.key)) = \(quoted($0.value));" }.joined(separator: "\n"))}".utf8)
}
