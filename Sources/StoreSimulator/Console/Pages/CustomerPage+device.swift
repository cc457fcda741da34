internal import AppStoreModels
internal import Foundation
internal import WebConsole

extension SimulatorPanel {
    /// What an app on the customer's device holds, and one of its texts if the URL names it.
    func device(of name: String, _ request: PanelRequest) throws -> PageValue {
        let names = core.read(request.environment) { store, _ in store.customers[name]?.devices.keys.sorted() ?? [] }
        var values: [String: PageValue] = [
            "names": .foreign(names.joined(separator: ", "), limit: 300), "hasNames": .flag(!names.isEmpty),
            "appURL": .link(request.link(request.page, [("text", "app")])),
            "receiptURL": .link(request.link(request.page, [("text", "receipt")])), "opened": .nothing,
        ]
        guard let chosen = request.query["text"] else { return .object(values) }
        var text: String?
        var title = "The app transaction"
        switch chosen {
        case "receipt":
            title = "The receipt, in base64"
            text = try core.receipt(of: name, on: nil, in: request.environment).receipt.base64EncodedString()
        case "app": text = try core.purchases(of: name, in: request.environment).signedAppTransactionInfo
        default:
            title = "Transaction \(chosen)"
            text = try core.purchases(of: name, in: request.environment).signedTransactions.first {
                SignedText.payload(of: $0)?["transactionId"]?.text == chosen
            }
        }
        guard let text else { throw ControlFailure(404, "unknown_transaction", "\(name) has no transaction \(chosen)") }
        values["opened"] = [
            "openedTitle": .foreign(title), "exactText": .exact(text), "rows": SignedText.rows(text),
            "isDecoded": .flag(chosen != "receipt"),
            "closeURL": .link(request.link(request.page)),
        ]
        return .object(values)
    }
}
