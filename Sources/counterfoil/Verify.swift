import AppStoreServer
import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil verify`: verifies signed data from the App Store and prints its contents.
struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verify signed data (JWS) from the App Store and print its contents.",
        discussion: """
            Takes a transaction, renewal information, a notification, an app transaction or a retention request as a \
            compact JWS. By default it trusts Apple's roots, accepts any app and both environments, and requires \
            certificates that are valid now; use --as-of signed-date for stored data.

            EXAMPLES
              counterfoil verify notification.jws
              counterfoil verify - --app com.example.app --json < transaction.jws
              counterfoil verify old.jws --as-of signed-date
              counterfoil verify new.jws --revocation hard
              counterfoil verify notification.jws --simulator

            With --simulator it trusts a running simulator instead: its roots, app, clock and OCSP responder \
            (--revocation soft unless set).

            JSON: {"valid":true,"kind":…,"payload":{the signed JSON},"trace":{…}}
              or  {"object":"error","valid":false,"code":"bad_signature","message":…}
            The data signed inside a notification is verified too and reported under "inner"; it does not change the \
            verdict. Control characters are escaped.
            Exit status: 0 valid, 1 refused, 2 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp("The file with the JWS, or - for standard input.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var file: String

    @Option(
        name: .customLong("app-apple-id"),
        help: ArgumentHelp("The app's Apple ID, required in production data. Needs --app.", valueName: "n")
    )
    var appAppleID: Int64?

    @Option(
        help: ArgumentHelp("Check whether certificates were revoked: off (default), soft or hard.", valueName: "policy")
    )
    var revocation: RevocationPolicy?

    @OptionGroup var options: VerificationOptions

    func validate() throws {
        try Input.requireNoText(file, beginning: "eyJ")
        if appAppleID != nil, options.bundleIDs.count != 1 {
            throw ValidationError("--app-apple-id needs one --app: name the app it belongs to.")
        }
        let trusted = options.roots + options.xcodeCertificates
        guard !options.simulator || (options.bundleIDs.isEmpty && trusted.isEmpty) else {
            throw ValidationError("--simulator cannot be combined with --app, --root or --xcode-certificate.")
        }
    }

    func run() async throws {
        let configuration = try await configuration()
        let text = try Input.text(file, maximumBytes: configuration.maximumBytes)
        do {
            let verifier = try SignedDataVerifier(configuration)
            let verified = try await verifier.anyPayload(text)
            let inner = await inner(of: verified.payload, by: verifier)
            if options.json {
                Output.line(VerificationReport.json(verified, inner: inner))
            } else {
                VerificationReport.lines(verified, inner: inner, Style.current()).forEach { Output.line($0) }
            }
        } catch {
            throw Refusal(
                code: "\(error.code)", message: error.message.printable + advice(for: text, error),
                object: VerificationReport.json(error))
        }
    }

    /// Returns advice for a text that begins like JSON or a receipt, or that others than Apple signed, otherwise an
    /// empty string.
    private func advice(for text: String, _ error: VerificationError) -> String {
        if let advice = options.advice(for: error) { return advice }
        if text.hasPrefix("{") {
            return "; this is JSON: verify a JWS in it, such as the signedPayload of a notification"
        }
        return text.hasPrefix("MI") && !text.contains(".") ? "; counterfoil receipt reads receipts" : ""
    }

    /// Verifies each signed text inside a notification separately.
    private func inner(
        of payload: AnySignedPayload, by verifier: SignedDataVerifier
    ) async -> VerificationReport.Inner {
        var results: VerificationReport.Inner = []
        for (field, text) in payload.signedTexts {
            do {
                results.append((field, .success(try await verifier.anyPayload(text))))
            } catch {
                results.append((field, .failure(error)))
            }
        }
        return results
    }

    private func configuration() async throws -> SignedDataVerifier.Configuration {
        if options.simulator { return try await configuration(of: options.simulatorClient()) }
        var accepted = options.acceptedEnvironments ?? [.production, .sandbox]
        if options.environments.isEmpty, options.acceptsXcode { accepted.formUnion([.xcode, .localTesting]) }
        let apps = options.bundleIDs.map { App(bundleID: $0, appAppleID: appAppleID, environments: accepted) }
        var configuration = SignedDataVerifier.Configuration(apps: apps.isEmpty ? .any(accepted) : .only(apps))
        configuration.anchors = try options.anchors()
        configuration.enrolledXcodeCertificates = try options.enrolled().files
        configuration.revocation = revocationOptions(revocation ?? .off)
        configuration.validationTime = options.asOf ?? .now
        return configuration
    }

    /// Returns a configuration that trusts a running simulator: its roots, app, clock and OCSP responder.
    private func configuration(of client: ControlClient) async throws -> SignedDataVerifier.Configuration {
        let information = client.information
        let now = try await client.clock().now
        var configuration: SignedDataVerifier.Configuration
        do {
            configuration = try information.verifierConfiguration(
                accepting: options.acceptedEnvironments ?? [.production, .sandbox])
        } catch {
            throw Refusal(code: "\(error.code)", message: "the simulator's certificates: \(error.message)")
        }
        configuration.now = { now }
        configuration.validationTime = options.asOf ?? .now
        configuration.revocation = revocationOptions(
            revocation ?? .soft, hosts: [URL(string: information.controlURL)?.host()].compactMap(\.self))
        return configuration
    }

    /// Returns the options for OCSP requests, which wait for the response up to the time limit. Nil if the policy is
    /// off.
    private func revocationOptions(_ policy: RevocationPolicy, hosts: [String] = []) -> RevocationOptions? {
        guard policy != .off else { return nil }
        var options = RevocationOptions(policy: policy)
        options.maximumWait = options.timeLimit
        options.allowedHosts.formUnion(hosts)
        return options
    }
}
