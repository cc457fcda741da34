internal import AppStoreModels
internal import Foundation

/// Converts the record of a notification to the text that is sent.
///
/// A record stores only its signatures. The payload is encoded again each time, with the same bytes every time.
package struct NotificationWriter: Sendable {
    let authority: StoreAuthority
    let app: SimulatedApp
    let environment: AppStoreEnvironment

    /// Signs a notification and its nested payloads. Also returns the text, which signing has to produce anyway.
    package func sign(_ record: NotificationRecord) throws -> (signatures: NotificationRecord.Signatures, text: String)
    {
        let generation = authority.current
        let signer = generation.signer
        let (transaction, renewalInfo) = try parts(record)
        let inner = (
            try transaction.map { try signer.sign(json: $0) }, try renewalInfo.map { try signer.sign(json: $0) }
        )
        let text = try signer.sign(json: outer(record, transaction: inner.0, renewalInfo: inner.1))
        let signatures = NotificationRecord.Signatures(
            generation: signer.generation, leaf: generation.serialNumber, notification: try Self.signature(of: text),
            transaction: try inner.0.map(Self.signature), renewalInfo: try inner.1.map(Self.signature))
        return (signatures, text)
    }

    private static func signature(of text: String) throws -> Data {
        guard let signature = PayloadSignature(ofJWS: text) else {
            throw SimulatorError(.corrupted, "a signed text has no signature")
        }
        return Data(signature.bytes)
    }

    /// Whether the authority has the leaf certificate that made the signatures, so that it can assemble the text again.
    package func canAssemble(_ signatures: NotificationRecord.Signatures) -> Bool {
        authority.generation(signatures.generation)?.serialNumber == signatures.leaf
    }

    /// Assembles the text of a notification from its record and signatures.
    package func text(_ record: NotificationRecord, _ signatures: NotificationRecord.Signatures) throws -> String {
        guard let signer = authority.generation(signatures.generation)?.signer else {
            throw SimulatorError(.noSigner, "the authority has no leaf \(signatures.generation)")
        }
        func assemble(_ json: [UInt8]?, _ signature: Data?) throws -> String? {
            guard let json, let signature else { return nil }
            guard let parsed = PayloadSignature(bytes: signature) else {
                throw SimulatorError(.corrupted, "a signature does not have 64 bytes")
            }
            return signer.assemble(json, signature: parsed)
        }
        let (transaction, renewalInfo) = try parts(record)
        let outer = try outer(
            record, transaction: assemble(transaction, signatures.transaction),
            renewalInfo: assemble(renewalInfo, signatures.renewalInfo))
        return try assemble(outer, signatures.notification) ?? ""
    }

    /// Returns the text of a notification with the changes of faults, newly signed.
    package func text(_ record: NotificationRecord, _ tampering: Tampering) throws -> String {
        let signer = try signer(tampering)
        let (transaction, renewalInfo) = try parts(record)
        let outer = try outer(
            record, transaction: transaction.map { try signer.sign(json: tampering.payload($0)) },
            renewalInfo: renewalInfo.map { try signer.sign(json: tampering.payload($0)) })
        return try signer.sign(json: tampering.payload(outer), breaking: tampering.breaksSignature)
    }

    /// Signs bytes after applying the changes of faults.
    package func sign(_ json: [UInt8], _ tampering: Tampering) throws -> String {
        try signer(tampering).sign(json: tampering.payload(json), breaking: tampering.breaksSignature)
    }

    private func signer(_ tampering: Tampering) throws -> PayloadSigner {
        tampering.usesWrongChain ? try authority.wrongChainSigner() : authority.signer
    }

    private func parts(_ record: NotificationRecord) throws -> (transaction: [UInt8]?, renewalInfo: [UInt8]?) {
        switch record.content {
        case .purchase(let purchase):
            let transaction = try record.overriding("transaction", purchase.transaction.jsonBytes())
            let renewalInfo = try purchase.renewalInfo.map { try record.overriding("renewalInfo", $0.jsonBytes()) }
            return (transaction, renewalInfo)
        case .appTransaction(let appTransaction):
            return (try record.overriding("appTransaction", appTransaction.jsonBytes()), nil)
        case .summary, .externalPurchaseToken, .test, .version1: return (nil, nil)
        }
    }

    private func outer(_ record: NotificationRecord, transaction: String?, renewalInfo: String?) throws -> [UInt8] {
        var payload = ResponseBodyV2DecodedPayload(
            notificationType: record.type, subtype: record.subtype, notificationUUID: record.uuid, version: "2.0",
            signedDate: record.signedDate)
        switch record.content {
        case .purchase(let purchase):
            payload.data = NotificationData(
                environment: environment, appAppleId: record.appAppleID, bundleId: app.bundleID,
                bundleVersion: record.bundleVersion ?? app.version,
                signedTransactionInfo: transaction, signedRenewalInfo: renewalInfo, status: purchase.status,
                consumptionRequestReason: purchase.consumptionRequestReason)
        case .summary(let summary): payload.summary = summary
        case .externalPurchaseToken(let token): payload.externalPurchaseToken = token
        case .appTransaction:
            payload.appData = AppData(
                appAppleId: record.appAppleID, bundleId: app.bundleID, environment: environment,
                signedAppTransactionInfo: transaction ?? "")
        case .test:
            // As observed in Apple's sandbox: `data` contains only the identifiers of the app and the environment.
            payload.data = NotificationData(
                environment: environment, appAppleId: environment == .sandbox ? nil : app.appAppleID,
                bundleId: app.bundleID)
        case .version1: throw SimulatorError(.corrupted, "a notification of version 1 is not signed")
        }
        return try record.overriding(
            "notification", objects: ["appData", "data", "externalPurchaseToken", "summary"], payload.jsonBytes())
    }
}

extension NotificationRecord {
    /// Returns JSON whose members are replaced by the overrides below `part`, after the members of its `objects` by those
    /// below their names.
    fileprivate func overriding(_ part: String, objects: [String] = [], _ json: [UInt8]) throws -> [UInt8] {
        guard overrides.keys.contains(where: { ([part] + objects).contains($0.overridePart) }) else { return json }
        return try JSONValue.editing(json) { members in
            for name in objects {
                guard case .object(var object) = members[name] else { continue }
                replace(&object, below: name)
                members[name] = .object(object)
            }
            replace(&members, below: part)
        }
    }

    private func replace(_ members: inout [String: JSONValue], below part: String) {
        for (path, value) in overrides where path.overridePart == part {
            members[String(path.dropFirst(part.count + 1))] = value == .null ? nil : value
        }
    }
}
