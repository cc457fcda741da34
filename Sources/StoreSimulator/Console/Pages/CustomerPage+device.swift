internal import AppStoreReceipts
internal import Basics
internal import Foundation
internal import WebConsole

extension SimulatorPanel {
    /// Returns the section with the data on one of the customer's devices, and one of its signed texts if the query
    /// selects it.
    ///
    /// Without the query parameter `device`, shows a device without a name, which has all data.
    func device(of name: String, _ request: PanelRequest) throws -> PageValue {
        let device = request.query["device"]
        let names = core.read(request.environment) { store, _ in store.customers[name]?.devices.keys.sorted() ?? [] }
        guard device.map(names.contains) ?? true else {
            throw ControlFailure(404, "unknown_device", "\(name) has no device \(device ?? "")")
        }
        let contents = try device.map { try core.contents(of: $0, of: name, in: request.environment) }
        func link(_ device: String?, _ text: String? = nil) -> PageLink {
            request.link(
                request.page,
                [("device", device), ("text", text)].compactMap { name, value in value.map { (name, $0) } })
        }
        var values: [String: PageValue] = [
            "appURL": .link(link(device, "app")), "receiptURL": .link(link(device, "receipt")), "opened": .nothing,
            "devices": names.isEmpty
                ? .nothing
                : .object([
                    "names": .list(
                        ([nil] + names.prefix(100).map { $0 }).map { other in
                            [
                                "url": .link(link(other)), "name": .foreign(other ?? "unnamed", limit: 64),
                                "isCurrent": .flag(other == device),
                            ]
                        })
                ]),
            "named": contents.map { Self.named($0) { link(device, $0) } } ?? .nothing,
        ]
        if let text = request.query["text"] {
            values["opened"] = try opened(text, of: name, contents, request, close: link(device))
        }
        return .object(values)
    }

    /// Returns the values for a device with a name.
    private static func named(_ contents: DeviceContents, link: (String) -> PageLink) -> PageValue {
        let current = Set(contents.current.map(\.signedTransactionInfo))
        let unfinished = Set(contents.unfinished.map(\.signedTransactionInfo))
        let rows = contents.all.reversed().prefix(200).map { signed -> PageValue in
            let payload = SignedText.payload(of: signed.signedTransactionInfo)
            let id = payload?["transactionId"]?.text ?? ""
            return [
                "url": .link(link(id)), "id": .text(id), "product": .foreign(payload?["productId"]?.text ?? ""),
                "remark": .text(
                    [
                        current.contains(signed.signedTransactionInfo) ? "current" : nil,
                        unfinished.contains(signed.signedTransactionInfo) ? "unfinished" : nil,
                        signed.isVerified ? nil : "not verified",
                    ].compactMap { $0 }.joined(separator: ", ")),
            ]
        }
        let pending = contents.pending.count
        return [
            "about": .text(
                "System \(contents.system), storefront \(contents.storefront)"
                    + (contents.isOffline ? ", without network" : "")
                    + (pending == 0
                        ? "" : ", \(pending) \(pending.noun("purchase waits", "purchases wait")) for approval")),
            "rows": .list(Array(rows)), "hasRows": .flag(!rows.isEmpty),
        ]
    }

    /// Returns a decoded text of the device.
    private func opened(
        _ chosen: String, of name: String, _ contents: DeviceContents?, _ request: PanelRequest, close: PageLink
    ) throws -> PageValue {
        var text: String?
        var title = "Transaction \(chosen)"
        var parts: [PageValue] = []
        switch chosen {
        case "receipt":
            title = "The receipt, in base64"
            text =
                contents == nil
                ? try core.receipt(of: name, in: request.environment).receipt.base64EncodedString() : contents?.receipt
            if let text { parts = try Self.parts(ofReceipt: text) }
        case "app":
            title = "The app transaction"
            text =
                contents == nil
                ? try core.purchases(of: name, in: request.environment).signedAppTransactionInfo
                : contents?.signedAppTransactionInfo
        default:
            let held =
                try contents?.all.map(\.signedTransactionInfo)
                ?? core.purchases(of: name, in: request.environment).signedTransactions
            text = held.first { SignedText.payload(of: $0)?["transactionId"]?.text == chosen }
        }
        guard let text else {
            throw ControlFailure(404, "unknown_text", "\(name) has no \(title.lowercased()) on this device")
        }
        if parts.isEmpty { parts = [["partTitle": "Payload", "rows": SignedText.rows(text)]] }
        return [
            "openedTitle": .foreign(title), "exactText": .exact(text), "parts": .list(parts), "closeURL": .link(close),
        ]
    }

    /// Returns the fields of a receipt, followed by those of its 20 newest purchases.
    private static func parts(ofReceipt base64: String) throws -> [PageValue] {
        let document = ReceiptDocument(try UnverifiedReceipt(base64: base64).content)
        guard case .object(var members) = try JSONValue(json: document.json.utf8) else { return [] }
        let purchases = members.removeValue(forKey: "in_app")?.items ?? []
        var parts: [PageValue] = [["partTitle": "The receipt", "rows": SignedText.rows(.object(members))]]
        for purchase in purchases.suffix(20).reversed() {
            parts.append([
                "partTitle": .text("Purchase \(purchase["transaction_id"]?.text ?? "")"),
                "rows": SignedText.rows(purchase),
            ])
        }
        return parts
    }
}
