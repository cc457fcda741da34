import AppStoreModels
import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil simulator buy`: buys a product.
struct BuyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "buy", abstract: "Buy a product as a customer of the simulator.",
        discussion: """
            Creates the customer if necessary. The end of a product ID is enough. The purchase has an account token, by \
            which a server identifies the customer: a UUID derived from the seed and the name. --account-token sets \
            another one, which the customer's later purchases have too.

            A promotional offer needs a signature, as in the App Store. --signature takes the JWS, or JSON with keyId, \
            nonce, timestamp and signature; --sign-by requests it from a Counterfoil server; --sign makes the simulator \
            sign. The customer must be or have been a subscriber. --introductory-signature takes the JWS that allows or \
            denies the introductory offer.

            EXAMPLES
              counterfoil simulator buy anna premium.monthly
              counterfoil simulator buy anna coins.100 --quantity 3 --environment sandbox
              counterfoil simulator buy ben premium.monthly --offer WELCOME --json
              counterfoil simulator buy carl unlock --no-account-token
            """)

    @Argument(help: ArgumentHelp("The customer's name.", valueName: "customer")) var customer: String
    @Argument(help: ArgumentHelp("The product ID, or the end of it.", valueName: "product")) var product: String
    @Option(help: ArgumentHelp("The quantity of a consumable.", valueName: "n")) var quantity: Int?
    @Option(help: ArgumentHelp("The offer to redeem.", valueName: "id")) var offer: String?
    @Option(help: ArgumentHelp("The signature of a promotional offer.", valueName: "jws|json")) var signature: String?
    @Option(help: ArgumentHelp("The signature for the introductory offer.", valueName: "jws"))
    var introductorySignature: String?
    @Option(help: ArgumentHelp("The Counterfoil server that signs the promotional offer.", valueName: "url"))
    var signBy: String?
    @Option(
        help: ArgumentHelp("A file with an API key of that server. Default: $COUNTERFOIL_KEY.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var key: String?
    @Flag(help: "Make the simulator sign the promotional offer.") var sign = false
    @Option(help: ArgumentHelp("The account token of the purchase.", valueName: "uuid")) var accountToken: String?
    @Flag(help: "Buy without an account token.") var noAccountToken = false
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        guard accountToken == nil || !noAccountToken else {
            throw ValidationError("--account-token and --no-account-token exclude each other.")
        }
        guard [signature != nil, signBy != nil, sign].count(where: { $0 }) < 2 else {
            throw ValidationError("--signature, --sign-by and --sign exclude each other.")
        }
        guard key == nil || signBy != nil else { throw ValidationError("--key needs --sign-by.") }
        guard offer != nil || signBy == nil && !sign else {
            throw ValidationError("--sign and --sign-by need --offer.")
        }
        _ = try account()
        _ = try signatureOption()
    }

    /// Returns the account token of the options: `.absent` for `--no-account-token`, nil without an option.
    private func account() throws -> AppAccountToken? {
        guard !noAccountToken else { return .absent }
        return try accountToken.map { text in
            guard let id = UUID(text: text) else {
                throw ValidationError("--account-token takes a UUID, not \(text).")
            }
            return AppAccountToken(id)
        }
    }

    func run() async throws {
        let client = try await options.client()
        let product = try await client.product(product, in: environment.name)
        let command = StoreCommand.purchase(
            customer: customer, product: product, quantity: quantity, offer: offer, appAccountToken: try account(),
            signature: try await signature(for: product, client), introductorySignature: introductorySignature,
            sign: sign ? true : nil)
        do { try await client.perform(command, in: environment, options) } catch let refusal as Refusal
            where refusal.code == StoreError.Code.offerSignatureMissing.rawValue
        {
            // The simulator's message names the members of its control API.
            throw Refusal(
                code: refusal.code,
                message: "a promotional offer needs a signature: --signature, --sign-by or, to test without, --sign")
        }
    }

    /// Returns the signature of `--signature`, if the option is used.
    private func signatureOption() throws -> OfferSignature? {
        guard let signature else { return nil }
        guard signature.hasPrefix("{") else { return .jws(signature) }
        do { return try JSONDecoder().decode(OfferSignature.self, from: Data(signature.utf8)) } catch {
            throw ValidationError("--signature takes a JWS, or JSON with keyId, nonce, timestamp and signature.")
        }
    }

    /// Returns the signature of `--signature`, or requests it from the server of `--sign-by`.
    private func signature(for product: String, _ client: ControlClient) async throws -> OfferSignature? {
        guard let signBy, let offer else { return try signatureOption() }
        let server = try ServerClient(url: signBy, keyFile: key, option: "--sign-by")
        let name = environment.name
        var account = accountToken?.lowercased()
        if account == nil {
            account = try await client.call("GET", [name.rawValue, "customers", customer], as: CustomerState.self)
                .appAccountToken
        }
        guard let account else {
            throw Refusal(
                code: "no_account_token",
                message: "\(customer.printable) has no account token, which identifies customers to the server")
        }
        let body = try JSONEncoder().encode(OfferRequest(product_id: product, offer_id: offer))
        let response: OfferResponse = try await server.call(
            "POST", "/v1/customers/\(account)/offers/promotional?environment=\(name.environment.rawValue)", body)
        return .jws(response.jws)
    }
}
