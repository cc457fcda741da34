public import AppStoreServer
public import ArgumentParser
import Foundation

/// The options that say whom to trust, and at which instant; its default is each command's own.
struct TrustOptions: ParsableArguments {
    @Option(
        name: .customLong("root"),
        help: ArgumentHelp(
            "A root certificate to trust instead of Apple's: PEM or DER, or a folder of them. May be repeated.",
            valueName: "file"))
    var roots: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            When the certificates had to be valid: now, signed-date, or an instant such as 2025-10-06T05:16:25Z. The \
            default is told above.
            """,
            valueName: "instant"))
    var asOf: AsOf?

    @Option(
        name: .customLong("xcode-certificate"),
        help: ArgumentHelp(
            "Accept local test data signed by Xcode with this certificate (PEM or DER). May be repeated.",
            valueName: "file"))
    var xcodeCertificates: [String] = []

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    /// When certificates are judged.
    enum AsOf: ExpressibleByArgument {
        case now
        case signedDate
        case instant(Date)

        init?(argument: String) {
            switch argument {
            case "now": self = .now
            case "signed-date": self = .signedDate
            default:
                let styles: [Date.ISO8601FormatStyle] = [
                    .iso8601, Date.ISO8601FormatStyle(includingFractionalSeconds: true),
                    Date.ISO8601FormatStyle().year().month().day(),
                ]
                for style in styles {
                    if let date = try? Date(argument, strategy: style) {
                        self = .instant(date)
                        return
                    }
                }
                return nil
            }
        }
    }

    /// Apple's roots, or those named.
    func anchors() throws -> TrustAnchors {
        guard !roots.isEmpty else { return .apple }
        do {
            return try TrustAnchors(contentsOf: roots.map { URL(filePath: $0) })
        } catch {
            throw ValidationError("--root: \(error.reason)")
        }
    }

    /// The certificates enrolled for local test data.
    func enrolled() throws -> [Data] {
        try xcodeCertificates.map { try Input.read($0, maximumBytes: 1 << 20) }
    }
}

/// The environments by the names that people type.
enum EnvironmentName: String, ExpressibleByArgument, CaseIterable {
    case production
    case sandbox

    var environment: AppStoreEnvironment {
        switch self {
        case .production: .production
        case .sandbox: .sandbox
        }
    }
}

extension RevocationPolicy: ExpressibleByArgument {}
