import AppStoreServer
import ArgumentParser
import Foundation

/// `counterfoil verify`: is this signed data the App Store's, and what does it say?
struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verify signed data (JWS) from the App Store and print what it says.",
        discussion: """
            Takes a transaction, renewal information, a notification, an app transaction or a retention request in compact \
            form, as the App Store sent it. By default Apple's roots are trusted, any app and both environments are \
            accepted, and --as-of is now: the certificates must be valid today. Use --as-of signed-date for data kept from \
            earlier.

            EXAMPLES
              counterfoil verify notification.jws
              counterfoil verify - --bundle-id com.example.app --json < transaction.jws
              counterfoil verify old.jws --as-of signed-date
              counterfoil verify new.jws --revocation hard
              counterfoil verify notification.jws --simulator

            With --simulator a running simulator is trusted instead: its roots, its app, its clock, and what it says about \
            its certificates (--revocation soft, unless another policy is named).

            JSON: {"valid":true,"kind":…,"payload":{the signed JSON},"trace":{…}}
              or  {"valid":false,"reason":"bad_signature","message":…}. A notification's inner signed data is verified as
              well and reported under "inner"; the verdict is the notification's own. What a terminal could act on is
              escaped, as JSON allows.
            Exit status: 0 valid, 1 refused, 2 wrong usage.
            """)

    @Argument(help: ArgumentHelp("The file that holds the JWS, or - for standard input.", valueName: "file"))
    var file: String

    @Option(
        name: .customLong("bundle-id"),
        help: ArgumentHelp("Accept data for this app only. May be repeated. Default: any app.", valueName: "id"))
    var bundleIDs: [String] = []

    @Option(
        name: .customLong("app-apple-id"),
        help: ArgumentHelp("The app's Apple ID, which production data has to carry. Needs --bundle-id.", valueName: "n")
    )
    var appAppleID: Int64?

    @Option(
        name: .customLong("environment"),
        help: ArgumentHelp("Accept this environment only: production or sandbox. May be repeated.", valueName: "name"))
    var environments: [EnvironmentName] = []

    @Option(
        help: ArgumentHelp("Ask whether certificates were revoked: off (default), soft or hard.", valueName: "policy"))
    var revocation: RevocationPolicy?

    @Flag(help: "Trust a running simulator: the one that runs, or that of the folder or URL that follows.")
    var simulator = false

    @Argument(help: ArgumentHelp("The simulator's folder or URL.", valueName: "dir|url"))
    var folder: String?

    @OptionGroup var trust: TrustOptions

    func validate() throws {
        if appAppleID != nil, bundleIDs.isEmpty {
            throw ValidationError("--app-apple-id needs --bundle-id: name the app it belongs to.")
        }
        guard simulator || folder == nil else {
            throw ValidationError("One file at a time. A folder is a simulator's: say --simulator before it.")
        }
        guard !simulator || (bundleIDs.isEmpty && trust.roots.isEmpty && trust.xcodeCertificates.isEmpty) else {
            throw ValidationError("--simulator says whom to trust and which app it is: leave the others out.")
        }
    }

    func run() async throws {
        let configuration = try await configuration()
        let text = try Input.text(file, maximumBytes: configuration.maximumBytes)
        do {
            let verifier = try SignedDataVerifier(configuration)
            let verified = try await verifier.anyPayload(text)
            let inner = await InnerData.verify(in: verified.payload, by: verifier)
            if trust.json {
                Output.line(VerificationReport.json(verified, inner: inner))
            } else {
                VerificationReport.lines(verified, inner: inner, Style.current()).forEach { Output.line($0) }
            }
        } catch {
            if trust.json {
                Output.line(VerificationReport.json(error))
                throw Refusal(message: nil)
            }
            throw Refusal(message: "\(error.code): \(error.message.printable)")
        }
    }

    private func configuration() async throws -> SignedDataVerifier.Configuration {
        if simulator { return try await configuration(of: ControlClient(try await SimulatorLocation.find(folder))) }
        var accepted = Set((environments.isEmpty ? EnvironmentName.allCases : environments).map(\.environment))
        if environments.isEmpty, trust.acceptsXcode { accepted.formUnion([.xcode, .localTesting]) }
        let apps = bundleIDs.map { App(bundleID: $0, appAppleID: appAppleID, environments: accepted) }
        var configuration = SignedDataVerifier.Configuration(apps: apps.isEmpty ? .any(accepted) : .only(apps))
        configuration.anchors = try trust.anchors()
        configuration.enrolledXcodeCertificates = try trust.enrolled().files
        configuration.revocation = revocationOptions(revocation ?? .off)
        configuration.validAt = trust.asOf ?? .now
        return configuration
    }

    /// Whoever asks about one text wants the answer, and waits for it. Nil where nobody is to be asked.
    func revocationOptions(_ policy: RevocationPolicy, hosts: [String] = []) -> RevocationOptions? {
        guard policy != .off else { return nil }
        var options = RevocationOptions(policy: policy)
        options.maximumWait = options.timeLimit
        options.allowedHosts.formUnion(hosts)
        return options
    }
}

/// The signed data inside a notification, each verified on its own.
enum InnerData {
    typealias Outcome = Result<Verified<AnySignedPayload>, VerificationError>

    static func verify(
        in payload: AnySignedPayload, by verifier: SignedDataVerifier
    ) async -> [(field: String, outcome: Outcome)] {
        guard case .notification(let notification) = payload else { return [] }
        let fields = [
            ("signedTransactionInfo", notification.data?.signedTransactionInfo),
            ("signedRenewalInfo", notification.data?.signedRenewalInfo),
            ("signedAppTransactionInfo", notification.appData?.signedAppTransactionInfo),
        ]
        var results: [(String, Outcome)] = []
        for case (let field, let text?) in fields {
            do {
                results.append((field, .success(try await verifier.anyPayload(text))))
            } catch {
                results.append((field, .failure(error)))
            }
        }
        return results
    }
}
