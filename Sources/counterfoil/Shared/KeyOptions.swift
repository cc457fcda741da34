import AppStoreServer
import ArgumentParser
import Foundation

/// The options for a private key from App Store Connect and its app.
struct KeyOptions: ParsableArguments {
    @Option(
        name: .customLong("private-key"),
        help: ArgumentHelp("The private key: the .p8 file from App Store Connect.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var privateKey: String

    @Option(name: .customLong("key-id"), help: ArgumentHelp("The key ID.", valueName: "id"))
    var keyID: String

    @Option(name: .customLong("app"), help: ArgumentHelp("The app's bundle ID.", valueName: "bundle-id"))
    var bundleID: String

    func signingKey() throws -> SigningKey { try Self.signingKey(privateKey, keyID) }

    /// Reads a private key. Errors name the option and the file, never the file's contents.
    static func signingKey(_ file: String, _ id: String) throws -> SigningKey {
        try Input.requireFile(file)
        do { return try SigningKey(contentsOf: URL(filePath: file), keyID: id) } catch {
            let option = error.code == .invalidIdentifier ? "--key-id" : "--private-key \(file.printable)"
            throw ValidationError("\(option): \(error.message)")
        }
    }
}

/// The options for a key and its issuer ID. All signatures need an issuer except the original promotional offer.
struct IssuerOptions: ParsableArguments {
    @OptionGroup var key: KeyOptions

    @Option(
        name: .customLong("issuer-id"),
        help: ArgumentHelp("The issuer ID, which App Store Connect shows above the keys.", valueName: "uuid"))
    var issuerID: String

    func offerSigner() throws -> OfferSigner {
        let signingKey = try key.signingKey()
        do { return try OfferSigner(key: signingKey, issuerID: issuerID, bundleID: key.bundleID) } catch {
            throw ValidationError(error.message)
        }
    }

    func tokenSource(lifetime: Duration) throws -> APITokenSource {
        let signingKey = try key.signingKey()
        do {
            return try APITokenSource(
                key: signingKey, issuerID: issuerID, bundleID: key.bundleID, lifetime: lifetime)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
