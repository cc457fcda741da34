import AppStoreModels
import AppStoreReceipts
import ArgumentParser
internal import Basics
import Foundation
import StoreSimulator

/// `counterfoil receipt`: validates a receipt and prints its app, environment and purchases.
struct ReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Validate a receipt and print its contents.",
        discussion: """
            Takes an app receipt or an old transaction receipt, in base64 or as bytes. By default it trusts Apple's roots, \
            accepts any app, any device and both environments, and requires certificates that were valid when the receipt \
            was created (for a transaction receipt: at the purchase). That is Apple's rule: receipts outlive their \
            certificates, so old ones are not valid with --as-of now.

            EXAMPLES
              counterfoil receipt receipt.b64
              counterfoil receipt - --app com.example.app --json < receipt.b64
              counterfoil receipt receipt --device-id 10203040-5060-7080-90A0-B0C0D0E0F000
              counterfoil receipt old.b64 --intermediate AppleITunesStoreCA.cer
              counterfoil receipt local.b64 --xcode-certificate StoreKitTestCertificate.cer
              counterfoil receipt receipt.b64 --transaction-id
              counterfoil receipt receipt.b64 --simulator

            With --simulator it trusts a running simulator instead: its roots and its clock.

            JSON: {"valid":true,"receipt":{"bundle_id":…,"in_app":[…],…},"trace":{…}}
              or  {"object":"error","valid":false,"code":"bad_signature","message":…}
            Instants are milliseconds since 1970; values that the receipt does not have are null.
            Exit status: 0 valid, 1 refused, 2 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp("The file with the receipt, or - for standard input.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var file: String

    @Option(
        name: .customLong("app-version"),
        help: ArgumentHelp(
            "Accept this version of the app only. May be repeated. Default: any version.", valueName: "version"))
    var versions: [String] = []

    @Option(
        name: .customLong("device-id"),
        help: ArgumentHelp(
            """
            Accept a receipt of this device only: on iOS the identifier for vendor (a UUID, or 32 hexadecimal digits), on \
            macOS the MAC address (12 hexadecimal digits).
            """, valueName: "hex"))
    var deviceID: DeviceID?

    @Option(
        name: .customLong("intermediate"),
        help: ArgumentHelp(
            """
            An intermediate certificate, which is not trusted by itself: PEM or DER, or a folder of them. Transaction \
            receipts do not include theirs. May be repeated.
            """, valueName: "file"), completion: .file(), transform: HomeFolder.path)
    var intermediates: [String] = []

    @Flag(
        name: .customLong("transaction-id"),
        help: ArgumentHelp(
            """
            Print only the ID of the first transaction, for the App Store Server API. NOTHING IS VERIFIED: anyone can have \
            written the receipt. Prints nothing for a receipt without purchases.
            """))
    var printsTransactionID = false

    @Flag(
        name: .customLong("verify-receipt"),
        help: ArgumentHelp(
            """
            Print the response of the retired verifyReceipt endpoint; exit status 0 for status 0. A single --environment \
            makes it that environment's endpoint (21007, 21008). Members that only Apple's servers know are missing.
            """))
    var printsVerifyReceipt = false

    @OptionGroup var options: VerificationOptions

    func validate() throws {
        try Input.requireNoText(file, beginning: "MII")
        guard !options.simulator || (options.roots + options.xcodeCertificates).isEmpty else {
            throw ValidationError("--simulator cannot be combined with --root or --xcode-certificate.")
        }
        if printsTransactionID, printsVerifyReceipt {
            throw ValidationError("--transaction-id and --verify-receipt exclude each other.")
        }
        let restricts =
            !options.bundleIDs.isEmpty || !versions.isEmpty || !options.environments.isEmpty || deviceID != nil
        let certificates = intermediates + options.roots + options.xcodeCertificates
        if printsTransactionID, restricts || options.simulator || !certificates.isEmpty || options.asOf != nil {
            throw ValidationError("--transaction-id verifies nothing: leave out all other options except --json.")
        }
        if printsVerifyReceipt, !options.bundleIDs.isEmpty || !versions.isEmpty || deviceID != nil {
            throw ValidationError(
                "verifyReceipt checks no app and no device: leave out --app, --app-version and --device-id.")
        }
    }

    func run() async throws {
        let validator = options.simulator ? try await simulatorValidator() : try validator(trusting: options)
        let contents = Input.withoutByteOrderMark(try Input.read(file, maximumBytes: validator.limits.bytes + 3))
        do {
            if printsTransactionID {
                try reportTransactionID(in: contents)
            } else if printsVerifyReceipt {
                try reportVerifyReceipt(contents, validator)
            } else {
                let verified = try validator.validate(contents: contents, deviceID: deviceID?.bytes)
                if options.json {
                    Output.line(ReceiptReport.json(verified))
                } else {
                    ReceiptReport.lines(verified, Style.current()).forEach { Output.line($0) }
                }
            }
        } catch let error as VerificationError {
            throw Refusal(
                code: "\(error.code)", message: error.message.printable + advice(for: contents, error),
                object: VerificationReport.json(error))
        }
    }

    /// Returns advice for contents that are a JWS, that others than Apple signed or that lack certificates, otherwise an
    /// empty string.
    private func advice(for contents: Data, _ error: VerificationError) -> String {
        if let advice = options.advice(for: error) { return advice }
        if error.code == .chainLength, intermediates.isEmpty {
            return "; --intermediate adds certificates that the receipt lacks"
        }
        let isJWS = contents.starts(with: "eyJ".utf8) && contents.count(where: { $0 == UInt8(ascii: ".") }) == 2
        return isJWS ? "; counterfoil verify reads a JWS" : ""
    }

    private func reportTransactionID(in contents: Data) throws {
        let transaction = try UnverifiedReceipt.transactionID(inContents: contents)
        if options.json {
            Output.line("{\"verified\":false,\"transaction_id\":\(JSONText.encode(transaction))}")
        } else if let transaction {
            Output.line(transaction.printable)
        } else {
            Output.error("The receipt has no purchases.")
        }
    }

    private func reportVerifyReceipt(_ contents: Data, _ validator: ReceiptValidator) throws {
        let accepted = options.environments.count == 1 ? options.environments.first?.environment : nil
        let response = VerifyReceiptEndpoint(validator: validator, environment: accepted).response(contents: contents)
        Output.line(response.json)
        guard response.status == .valid else {
            throw Refusal(
                code: response.reason.map { "\($0.code)" } ?? "invalid_receipt",
                message: response.reason?.message.printable ?? "the status is \(response.status.rawValue)")
        }
    }

    /// Returns a validator that trusts a running simulator: its roots and its clock.
    private func simulatorValidator() async throws -> ReceiptValidator {
        let client = try await options.simulatorClient()
        let now = try await client.clock().now
        var trusting = options
        trusting.roots = client.information.rootCertificates
        var validator = try validator(trusting: trusting)
        validator.now = { now }
        return validator
    }

    /// Returns the validator for the options.
    private func validator(trusting options: VerificationOptions) throws -> ReceiptValidator {
        var validator = ReceiptValidator(anchors: try options.anchors())
        validator.xcodeCertificates = try options.enrolled().anchors
        do {
            // Roots of --root serve as intermediates too, because transaction receipts do not include them.
            let locations = (intermediates + options.roots).map { URL(filePath: $0) }
            validator.intermediates = try CertificatePool(contentsOf: locations)
        } catch {
            throw ValidationError("--intermediate: \(error.message)")
        }
        validator.bundleIDs = options.bundleIDs.isEmpty ? nil : Set(options.bundleIDs)
        validator.versions = versions.isEmpty ? nil : Set(versions)
        validator.environments = options.acceptedEnvironments
        // The default is the creation date and not now, unlike for JWS: Apple's rule is to validate receipts as of
        // their creation, and the certificates of all known genuine receipts have expired.
        validator.validationTime = options.asOf ?? .signingDate
        return validator
    }
}

/// A device identifier on the command line: a UUID, or 12 or 32 hexadecimal digits, optionally with colons as in MAC
/// addresses.
struct DeviceID: ExpressibleByArgument {
    let bytes: Data

    init?(argument: String) {
        if let identifier = UUID(text: argument) {
            bytes = identifier.bytes
            return
        }
        guard let bytes = [UInt8](hexadecimal: argument.filter { $0 != ":" }), [6, 16].contains(bytes.count) else {
            return nil
        }
        self.bytes = Data(bytes)
    }
}
