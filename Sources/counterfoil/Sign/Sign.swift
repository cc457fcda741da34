import AppStoreModels
import AppStoreServer
import ArgumentParser
import Foundation
internal import Ledger

/// `counterfoil sign`: signs tokens, offers and requests with a key from App Store Connect.
struct Sign: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sign API tokens, offers and Advanced Commerce requests.",
        discussion: """
            Each subcommand prints one JSON object; --plain prints only the signed text. The key stays on this machine and \
            is never printed.

            EXAMPLES
              counterfoil sign token --private-key key.p8 --key-id ABC123DEFG \\
                --issuer-id 57246542-96fe-… --app com.example.app --plain
              counterfoil sign promotional-offer-v2 --product monthly --offer comeback \\
                --private-key key.p8 --key-id ABC123DEFG \\
                --issuer-id 57246542-96fe-… --app com.example.app
            """,
        subcommands: [
            SignToken.self, SignPromotionalOffer.self, SignPromotionalOfferV2.self, SignIntroductoryOffer.self,
            SignAdvancedCommerce.self,
        ])
}

/// The option `--plain` of subcommands that print one signed text.
struct PlainOption: ParsableArguments {
    @Flag(help: "Print the signed text alone instead of a JSON object.")
    var plain = false

    @OptionGroup var failures: FailureOption

    func validate() throws {
        guard !(plain && failures.json) else { throw ValidationError("--plain and --json exclude each other.") }
    }

    func output(_ token: String, _ object: some Encodable) {
        Output.line(plain ? token : JSONText.encode(object))
    }
}

/// `counterfoil sign token`: signs a bearer token.
struct SignToken: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Make a bearer token for the App Store Server API.",
        discussion: """
            EXAMPLES
              counterfoil sign token --private-key key.p8 --key-id ABC123DEFG \\
                --issuer-id 57246542-96fe-… --app com.example.app --lifetime 1200

            JSON: {"token":…,"issued_at_ms":…,"expires_at_ms":…}. Send it as `Authorization: Bearer <token>`.
            """)

    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var form: PlainOption

    @Option(help: ArgumentHelp("How long it is valid: 60 to 3600 seconds.", valueName: "seconds"))
    var lifetime = 300

    func validate() throws {
        guard (60...3600).contains(lifetime) else { throw ValidationError("--lifetime takes 60 to 3600 seconds.") }
    }

    func run() throws {
        let source = try issuer.tokenSource(lifetime: .seconds(lifetime))
        let token = try source.token()
        struct JSONOutput: Encodable {
            let token: String
            let issuedAtMs, expiresAtMs: Int64
        }
        form.output(
            token.text,
            JSONOutput(
                token: token.text, issuedAtMs: token.issuedAt.milliseconds, expiresAtMs: token.expiresAt.milliseconds))
    }
}

/// `counterfoil sign promotional-offer`: signs an offer in the original format.
struct SignPromotionalOffer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promotional-offer", abstract: "Sign a promotional offer in the original format.",
        discussion: """
            For apps that redeem the offer with a signature, nonce, key identifier and timestamp (iOS 12.2 to 18). The app \
            passes all members to StoreKit. Valid for 24 hours.

            JSON:
              {"encodedSignature":…,"nonce":…,"timestamp":…,"keyId":…,"productId":…,
              "offerIdentifier":…}

            EXAMPLES
              counterfoil sign promotional-offer --product monthly --offer comeback \\
                --private-key key.p8 --key-id ABC123DEFG --app com.example.app
            """)

    @OptionGroup var key: KeyOptions
    @OptionGroup var offer: OfferOptions
    @OptionGroup var failures: FailureOption

    @Option(
        name: .customLong("app-account-token"),
        help: ArgumentHelp("The customer's account token, if the app sets one.", valueName: "uuid"))
    var appAccountToken: String?

    func run() throws {
        let account = try appAccountToken.map { text in
            guard let uuid = UUID(text: text) else { throw ValidationError("--app-account-token takes a UUID.") }
            return uuid
        }
        // The original format does not contain the issuer, so any value works.
        let signature = try OfferSigner(key: key.signingKey(), issuerID: "none", bundleID: key.bundleID)
            .promotionalOffer(productID: offer.product, offerID: offer.offer, appAccountToken: account)
        Output.line(try JSONLine.text(signature))
    }
}

/// The product and the offer of a promotional offer.
struct OfferOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The product ID of the subscription.", valueName: "id"))
    var product: String

    @Option(help: ArgumentHelp("The ID of the promotional offer.", valueName: "id"))
    var offer: String
}

/// `counterfoil sign promotional-offer-v2`: signs an offer as a JWS.
struct SignPromotionalOfferV2: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promotional-offer-v2", abstract: "Sign a promotional offer as a JWS.",
        discussion: """
            EXAMPLES
              counterfoil sign promotional-offer-v2 --product monthly --offer comeback \\
                --private-key key.p8 --key-id ABC123DEFG \\
                --issuer-id 57246542-96fe-… --app com.example.app

            JSON: {"token":…}, the compact JWS that the app passes to StoreKit.
            """)

    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var offer: OfferOptions
    @OptionGroup var form: PlainOption

    @Option(
        name: .customLong("transaction-id"),
        help: ArgumentHelp(
            "Any transaction ID of the customer, or the app transaction ID. Recommended.", valueName: "id"))
    var transactionID: String?

    func run() throws {
        let token = try issuer.offerSigner().promotionalOfferV2(
            productID: offer.product, offerID: offer.offer, transactionID: transactionID)
        form.output(token, ["token": token])
    }
}

/// `counterfoil sign introductory-offer`: signs whether a customer is eligible for an introductory offer.
struct SignIntroductoryOffer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "introductory-offer", abstract: "Sign whether a customer may have an introductory offer.",
        discussion: """
            EXAMPLES
              counterfoil sign introductory-offer --product monthly --allow \\
                --transaction-id 340001000000123 --private-key key.p8 \\
                --key-id ABC123DEFG --issuer-id 57246542-96fe-… --app com.example.app

            JSON: {"token":…}. It replaces the App Store's own eligibility check for this purchase.
            """)

    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var form: PlainOption

    @Option(help: ArgumentHelp("The product ID of the subscription.", valueName: "id"))
    var product: String

    @Option(
        name: .customLong("transaction-id"),
        help: ArgumentHelp("Any transaction ID of the customer, or the app transaction ID.", valueName: "id"))
    var transactionID: String

    @Flag(inversion: .prefixedNo, help: "Whether the customer gets the introductory offer.")
    var allow: Bool

    func run() throws {
        let token = try issuer.offerSigner().introductoryOfferEligibility(
            productID: product, isAllowed: allow, transactionID: transactionID)
        form.output(token, ["token": token])
    }
}

/// `counterfoil sign advanced-commerce`: signs a request that the app sends through StoreKit.
struct SignAdvancedCommerce: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advanced-commerce", abstract: "Sign an Advanced Commerce in-app request.",
        discussion: """
            Takes the request as JSON with its operation and version, and signs exactly those bytes.

            EXAMPLES
              counterfoil sign advanced-commerce request.json --private-key key.p8 \\
                --key-id ABC123DEFG --issuer-id 57246542-96fe-… --app com.example.app

            JSON: {"token":…,"advanced_commerce_data":…}: the JWS, and in base64 the advancedCommerceData that the app \
            passes to StoreKit.
            """)

    @Argument(
        help: ArgumentHelp("The file with the request, or - for standard input.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var file: String

    @OptionGroup var issuer: IssuerOptions
    @OptionGroup var form: PlainOption

    private static let maximumBytes = 256 * 1024

    func run() throws {
        let request = try Input.read(file, maximumBytes: Self.maximumBytes)
        guard request.count <= Self.maximumBytes else {
            throw Refusal(code: "too_large", message: "the request is larger than \(Self.maximumBytes) bytes")
        }
        struct Head: Decodable {
            let operation, version: String
        }
        do {
            _ = try JSONDecoder().decode(Head.self, from: request)
        } catch {
            throw Refusal(
                code: "bad_json",
                message: "not an Advanced Commerce request: expected a JSON object with operation and version")
        }
        let signed = try issuer.offerSigner().advancedCommerce(json: request)
        form.output(signed.token, ["token": signed.token, "advanced_commerce_data": signed.base64])
    }
}
