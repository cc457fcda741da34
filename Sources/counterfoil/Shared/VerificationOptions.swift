import AppStoreModels
public import AppStoreTrust
public import ArgumentParser
import Basics
import Foundation
import X509

/// The options of the commands that verify signed data: the accepted apps and environments, the trusted certificates, and
/// the instant at which these have to be valid, whose default differs by command.
struct VerificationOptions: ParsableArguments {
    @Option(
        name: .customLong("app"),
        help: ArgumentHelp("Accept this app only. May be repeated. Default: any app.", valueName: "bundle-id"))
    var bundleIDs: [String] = []

    @Option(
        name: .customLong("environment"),
        help: ArgumentHelp("Accept this environment only: production or sandbox. May be repeated.", valueName: "name"))
    var environments: [EnvironmentName] = []

    @Flag(help: "Trust the running simulator, or the one whose folder or URL follows.")
    var simulator = false

    @Argument(
        help: ArgumentHelp("The simulator's folder or URL.", valueName: "dir|url"), completion: .directory,
        transform: HomeFolder.path)
    var folder: String?

    @Option(
        name: .customLong("root"),
        help: ArgumentHelp(
            """
            A root certificate to trust instead of Apple's: PEM or DER, or a folder of them. May be repeated. A \
            self-signed certificate of Xcode is accepted as with --xcode-certificate.
            """,
            valueName: "file"), completion: .file(), transform: HomeFolder.path)
    var roots: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            When the certificates have to be valid: now, signed-date, or an instant such as 2025-10-06T05:16:25Z. Default: \
            see above.
            """,
            valueName: "instant"))
    var asOf: ValidationTime?

    @Option(
        name: .customLong("xcode-certificate"),
        help: ArgumentHelp(
            """
            Accept local test data signed by Xcode with this certificate (PEM or DER), unless --environment names others. \
            May be repeated.
            """,
            valueName: "file"), completion: .file(), transform: HomeFolder.path)
    var xcodeCertificates: [String] = []

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func validate() throws {
        guard simulator || folder == nil else {
            throw ValidationError("Name one file. A simulator's folder goes after --simulator.")
        }
    }

    /// The environments of `--environment`; nil without the option.
    var acceptedEnvironments: Set<AppStoreEnvironment>? {
        environments.isEmpty ? nil : Set(environments.map(\.environment))
    }

    /// Returns a client for the simulator to trust.
    func simulatorClient() async throws -> ControlClient { ControlClient(try await SimulatorLocation.find(folder)) }

    /// Returns advice if the data end at a root that is not trusted; nil for other errors.
    func advice(for error: VerificationError) -> String? {
        guard error.code == .untrustedRoot, !simulator, roots.isEmpty else { return nil }
        return "; --simulator trusts a simulator, --root another root"
    }

    /// Returns the roots of `--root`, or Apple's.
    func anchors() throws -> TrustAnchors {
        guard !roots.isEmpty else { return .apple }
        do {
            return try TrustAnchors(contentsOf: roots.map { URL(filePath: $0) })
        } catch {
            throw ValidationError("--root: \(error.message)")
        }
    }

    /// Returns the certificates enrolled for local test data, as files and as anchors. The anchors are nil if there are
    /// none.
    ///
    /// Data signed by them is accepted only for Xcode's environment, so roots of `--root` are enrolled too, if they are
    /// self-signed as Xcode's certificate is. Other certificates in a folder of roots, such as the leaf of a
    /// simulator's receipts, are not enrolled.
    func enrolled() throws -> (files: [Data], anchors: TrustAnchors?) {
        do {
            var files = try CertificateFile.contents(of: xcodeCertificates.map { URL(filePath: $0) })
            for file in try CertificateFile.contents(of: roots.map { URL(filePath: $0) }) {
                let certificates = try CertificateFile.read(file)
                files += certificates.filter { $0.certificate.subject == $0.certificate.issuer }.map { Data($0.der) }
            }
            return (files, files.isEmpty ? nil : try TrustAnchors(certificates: files))
        } catch {
            throw ValidationError("--xcode-certificate: \(error.message)")
        }
    }

    /// Whether data of Xcode's environment is accepted if `--environment` is not used.
    var acceptsXcode: Bool { !xcodeCertificates.isEmpty || !roots.isEmpty }
}

extension RevocationPolicy: ExpressibleByArgument {}

extension ValidationTime: ExpressibleByArgument {
    /// Accepts `now`, `signed-date`, or an instant in ISO 8601.
    public init?(argument: String) {
        switch argument {
        case "now": self = .now
        case "signed-date": self = .signingDate
        default:
            guard let milliseconds = InstantText.milliseconds(iso8601: argument, acceptsDays: true),
                let date = Date(millisecondsSince1970: milliseconds)
            else { return nil }
            self = .at(date)
        }
    }
}
