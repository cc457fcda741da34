import AppStoreReceipts
import AppStoreServer
import AppStoreTrust
import Basics
import Foundation

/// Verifies every JWS and receipt in a folder, as of its signing date and against Apple's roots.
struct TourFolder {
    let path: String

    private struct Row {
        let file, kind, subject, environment, signed: String
        let error: VerificationError?
    }

    /// Returns the lines of the table and the number of refused files.
    func table(_ style: Style) async -> (lines: [String], refused: Int) {
        let files = files()
        var rows: [Row] = []
        do {
            let jws = try SignedDataVerifier(Self.configuration())
            let receipts = try receiptValidator(certificates: files.filter { Self.isCertificate($0) })
            for file in files where file.pathExtension == "jws" { rows.append(await row(file, jws)) }
            for file in files where file.pathExtension == "b64" { rows.append(row(file, receipts)) }
        } catch {
            return (["\(style.bad("refused")) a certificate in the folder: \(error.message.printable)"], 1)
        }
        guard !rows.isEmpty else { return (["the folder has no .jws and no .b64 files"], 0) }
        let width = rows.map(\.file.count).max() ?? 0
        let lines = rows.map { row in
            let verdict = row.error.map { style.bad("refused \($0.code)") } ?? style.good("valid")
            return [
                row.file.padded(to: width), row.kind.padded(to: 12), row.environment.padded(to: 10),
                row.signed.padded(to: 10), verdict, style.faint(row.subject),
            ].joined(separator: "  ")
        }
        let refused = rows.count { $0.error != nil }
        let total = "\(rows.count) \(rows.count.noun("file"))"
        return (lines + ["\(total), \(rows.count - refused) valid, \(refused) refused"], refused)
    }

    private func files() -> [URL] {
        let contents = FileManager.default.enumerator(at: URL(filePath: path), includingPropertiesForKeys: nil)
        return (contents?.compactMap { $0 as? URL } ?? []).sorted { $0.path < $1.path }
    }

    private static func isCertificate(_ file: URL) -> Bool { ["cer", "pem", "der"].contains(file.pathExtension) }

    private static func configuration() -> SignedDataVerifier.Configuration {
        var configuration = SignedDataVerifier.Configuration(apps: .any([.production, .sandbox]))
        configuration.validationTime = .signingDate
        return configuration
    }

    /// Makes a validator that uses the certificates in the folder as intermediates. A certificate of Xcode is enrolled
    /// too, so that receipts of Xcode's environment are accepted.
    private func receiptValidator(certificates: [URL]) throws(VerificationError) -> ReceiptValidator {
        let contents = try CertificateFile.contents(of: certificates)
        var xcode: [Data] = []
        for data in contents
        where try CertificateFile.read(data).contains(where: { $0.certificate.shortName == "StoreKit" }) {
            xcode.append(data)
        }
        return ReceiptValidator(
            intermediates: try CertificatePool(certificates: contents),
            xcodeCertificates: xcode.isEmpty ? nil : try TrustAnchors(certificates: xcode))
    }

    private func row(_ file: URL, _ verifier: SignedDataVerifier) async -> Row {
        do {
            let text = try Input.text(file.path, maximumBytes: 256 * 1024)
            let verified = try await verifier.anyPayload(text)
            let (subject, environment) = Self.summary(of: verified.payload)
            return Row(
                file: file.lastPathComponent.printable, kind: verified.payload.kind, subject: subject.printable,
                environment: environment.printable, signed: Self.day(verified.trace.validatedAt), error: nil)
        } catch {
            return refused(file, error)
        }
    }

    private func row(_ file: URL, _ validator: ReceiptValidator) -> Row {
        do {
            let verified = try validator.validate(contents: try Input.read(file.path, maximumBytes: 8 << 20))
            let receipt = verified.payload
            let purchases =
                switch receipt {
                case .app(let receipt): "\(receipt.purchases.count) \(receipt.purchases.count.noun("purchase"))"
                case .transaction: "1 purchase, transaction receipt"
                }
            return Row(
                file: file.lastPathComponent.printable, kind: "receipt",
                subject: "\(receipt.bundleID), \(purchases)".printable,
                environment: receipt.environment?.rawValue ?? "-",
                signed: Self.day(receipt.signedDate),
                error: nil)
        } catch {
            return refused(file, error)
        }
    }

    private func refused(_ file: URL, _ error: any Error) -> Row {
        Row(
            file: file.lastPathComponent.printable, kind: "-", subject: "\(error)".printable, environment: "-",
            signed: "-",
            error: error as? VerificationError ?? VerificationError(.malformedReceipt, "the file cannot be read"))
    }

    private static func summary(of payload: AnySignedPayload) -> (subject: String, environment: String) {
        switch payload {
        case .transaction(let payload): (payload.productId, payload.environment.rawValue)
        case .renewalInfo(let payload): (payload.productId, payload.environment.rawValue)
        case .appTransaction(let payload): (payload.bundleId, payload.receiptType.rawValue)
        case .realtimeRequest(let payload): (payload.productId, payload.environment.rawValue)
        case .notification(let payload):
            (
                NotificationKind.name(payload.notificationType, payload.subtype),
                payload.namedApp?.environment.rawValue ?? "-"
            )
        }
    }

    private static func day(_ date: Date) -> String { String(date.readable.prefix(10)) }
}
