import AppStoreServer
import ArgumentParser
import Foundation

/// The options that name a private key from App Store Connect, and the app it is used for.
struct KeyOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The private key: the .p8 file from App Store Connect.", valueName: "file"))
    var key: String

    @Option(name: .customLong("key-id"), help: ArgumentHelp("The key's identifier.", valueName: "id"))
    var keyID: String

    @Option(name: .customLong("bundle-id"), help: ArgumentHelp("The app's bundle identifier.", valueName: "id"))
    var bundleID: String

    /// The key itself. Errors name the option, never what is in the file.
    func signingKey() throws -> SigningKey {
        do {
            return try SigningKey(contentsOf: URL(filePath: key), keyID: keyID)
        } catch {
            throw ValidationError("--key \(key): \(error.message)")
        }
    }
}

/// The option for the issuer, whom everything but the original promotional offer names.
struct IssuerOptions: ParsableArguments {
    @OptionGroup var key: KeyOptions

    @Option(
        name: .customLong("issuer-id"),
        help: ArgumentHelp("The issuer's identifier, which App Store Connect shows above the keys.", valueName: "uuid"))
    var issuerID: String

    func offerSigner() throws -> OfferSigner {
        let signingKey = try key.signingKey()
        do {
            return try OfferSigner(key: signingKey, issuerID: issuerID, bundleID: key.bundleID)
        } catch {
            throw ValidationError(error.message)
        }
    }

    func tokenSource(lifetime: Duration = .seconds(300)) throws -> APITokenSource {
        let signingKey = try key.signingKey()
        do {
            return try APITokenSource(
                key: signingKey, issuerID: issuerID, bundleID: key.bundleID, lifetime: lifetime)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
